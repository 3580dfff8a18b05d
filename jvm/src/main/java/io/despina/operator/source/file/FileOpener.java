package io.despina.operator.source.file;

import io.despina.operator.OperatorContext;
import io.despina.operator.disk.FileAddress;
import io.despina.operator.disk.FileKind;
import io.despina.operator.disk.MissingFileException;
import io.despina.spec.Follow;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Opens the input of one instance of a file source, in order: its share of the files, or a pipe instead. */
final class FileOpener implements Closeable {
    private final FileSourceOptions options;
    private final FileSourceOptions.Outside outside;
    private final OperatorContext context;
    private final FileFormats formats;
    private boolean waits;
    /** Null if the files are on this machine. */
    private HadoopFiles hadoop;

    FileOpener(FileSourceOptions options, FileSourceOptions.Outside outside, OperatorContext context) {
        this.options = options;
        this.outside = outside;
        this.context = context;
        formats = new FileFormats(options, context);
    }

    FileOrder open() throws IOException {
        if (outside.pipe() != null) {
            Pipe pipe = outside.pipe().open(context);
            return new PipedLines(Path.of("stdin"), pipe, opening(formats.ofPipe(pipe)));
        }
        if (FileAddress.isHadoops(options.path())) {
            hadoop = new HadoopFiles(options.path(), options.records().options());
        }
        List<Path> paths = hadoop == null ? local() : InputFiles.share(hadoop.list(options.path()), context.instance(),
                context.parallelism());
        waits = !options.records().format().isLines() || hadoop != null || FileKind.mayBeRemote(paths)
                || paths.stream().map(FileInput::codec).anyMatch(codec -> codec != null && codec.isSlow());
        return order(paths);
    }

    /** A path that is followed may get its first file later. */
    private List<Path> local() throws IOException {
        try {
            return InputFiles.find(options.path(), context.instance(), context.parallelism());
        } catch (FileNotFoundException none) {
            boolean mayCome = options.reading().follow() != Follow.NO && !(none instanceof MissingFileException)
                    && Files.isDirectory(InputFiles.base(options.path()));
            if (!mayCome) {
                throw none;
            }
            context.warn("waiting for the first file of " + options.path());
            return List.of();
        }
    }

    /** Whether reading may wait for a network, or takes long. */
    boolean isSlow() {
        return waits;
    }

    FileOrder order(List<Path> paths) throws IOException {
        SourceFile.Options opening = opening(hadoop == null
                ? formats.ofFiles(InputFiles.base(options.path()), Files::newInputStream)
                : formats.ofFiles(hadoop.base(options.path()), hadoop::open));
        if (options.reading().follow() != Follow.NO) {
            return new FollowedFiles(options, opening, context, outside.notices());
        }
        List<SourceFile> mine = paths.stream().map(path -> new SourceFile(path, opening)).toList();
        return options.eventTime() == null ? new InPathOrder(mine) : new MergedByTime(mine);
    }

    private SourceFile.Options opening(FileRecords.Opener opener) {
        return new SourceFile.Options(options.records().schema(), opener, null);
    }

    @Override
    public void close() throws IOException {
        if (hadoop != null) {
            hadoop.close();
        }
    }
}
