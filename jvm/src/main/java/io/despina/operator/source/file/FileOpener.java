package io.despina.operator.source.file;

import io.despina.expr.FileRows;
import io.despina.operator.FileAddress;
import io.despina.operator.FileKind;
import io.despina.operator.OperatorContext;
import io.despina.spec.Follow;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Opens the input of one instance of a file source, in order: its share of the files, or a pipe instead. */
final class FileOpener implements Closeable {
    private final FileSourceOptions options;
    private final FileSourceOptions.Outside outside;
    /** Null if records are not lines. */
    private final RecordDecoder decoder;
    private final OperatorContext context;
    private boolean waits;
    private FileInput.Opener bytes;
    /** Null if the files are on this machine. */
    private HadoopFiles hadoop;

    FileOpener(FileSourceOptions options, FileSourceOptions.Outside outside, OperatorContext context) {
        this.options = options;
        this.outside = outside;
        this.context = context;
        decoder = options.records().format().isText() ? new RecordDecoder(
                options.records().withoutFileSystem(), options.eventTime(), options.parsers(), context::badRecord) : null;
    }

    FileOrder open() throws IOException {
        if (outside.pipe() != null) {
            Pipe pipe = outside.pipe().open(context);
            return new PipedLines(Path.of("stdin"), pipe, opening(pipe));
        }
        if (FileAddress.isHadoops(options.path())) {
            hadoop = new HadoopFiles(options.path(), options.records().options());
        }
        bytes = hadoop == null ? Files::newInputStream : hadoop::open;
        List<Path> paths = hadoop == null ? InputFiles.find(options.path(), context.instance(), context.parallelism())
                : InputFiles.share(hadoop.list(options.path()), context.instance(), context.parallelism());
        waits = decoder == null || hadoop != null || FileKind.mayBeRemote(paths)
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
        FileSourceOptions.Records records = options.records();
        if (decoder == null) {
            FileRows.Options rows = new FileRows.Options(records.schema(), records.options(), records.unread(),
                    records.timeZone(), records.ansi());
            return new SourceFile.Options(records.schema(), (path, from, block) ->
                    new RowRecords(path, from.line().offset(), rows), null);
        }
        FileLines.Options lines = new FileLines.Options(decoder.dialect(), decoder.separator(),
                new LineBlocks.Growth(options.reading().follow() != Follow.NO || pipe != null, pipe), bytes, decoder,
                decoder.isByName());
        return new SourceFile.Options(records.schema(), (path, from, block) -> new FileLines(path, from, lines, block), null);
    }

    @Override
    public void close() throws IOException {
        if (hadoop != null) {
            hadoop.close();
        }
    }
}
