package io.despina.operator.source.file;

import io.despina.operator.FileKind;
import io.despina.operator.OperatorContext;
import io.despina.spec.Follow;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Opens the input of one instance of a file source, in order: its share of the files, or a pipe instead. */
final class FileOpener {
    private final FileSourceOptions options;
    private final FileSourceOptions.Outside outside;
    private final RecordDecoder decoder;
    private final OperatorContext context;
    private boolean waits;

    FileOpener(FileSourceOptions options, FileSourceOptions.Outside outside, RecordDecoder decoder, OperatorContext context) {
        this.options = options;
        this.outside = outside;
        this.decoder = decoder;
        this.context = context;
    }

    FileOrder open() throws IOException {
        if (outside.pipe() != null) {
            Pipe pipe = outside.pipe().open(context);
            return new PipedLines(Path.of("stdin"), pipe, opening(pipe));
        }
        List<Path> paths = InputFiles.find(options.path(), context.instance(), context.parallelism());
        waits = FileKind.mayBeRemote(paths)
                || paths.stream().map(FileInput::codec).anyMatch(codec -> codec != null && codec.isSlow());
        return order(paths);
    }

    /** Whether reading may wait for a network, or takes long. */
    boolean isSlow() {
        return waits;
    }

    FileOrder order(List<Path> paths) {
        SourceFile.Options opening = opening(null);
        if (options.reading().follow() != Follow.NO) {
            return new FollowedFiles(options, opening, context, outside.notices());
        }
        List<SourceFile> mine = paths.stream().map(path -> new SourceFile(path, opening)).toList();
        return options.eventTime() == null ? new InPathOrder(mine) : new MergedByTime(mine);
    }

    /** @param pipe null for files */
    private SourceFile.Options opening(Pipe pipe) {
        return new SourceFile.Options(options.records().schema(), new FileLines.Options(decoder.dialect(), decoder.separator(),
                new LineBlocks.Growth(options.reading().follow() != Follow.NO || pipe != null, pipe), decoder::reader,
                decoder.isByName()), null);
    }
}
