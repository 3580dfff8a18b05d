package io.despina.operator.source.file;

import io.despina.operator.Source;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The one "file" of a source that reads what another process sends. More bytes wake the source. */
final class PipedLines implements FileOrder {
    private final Pipe pipe;
    private final SourceFile file;
    /** Whether everything that has arrived is read. */
    private boolean waits;

    /** @param name of the pipe, for messages */
    PipedLines(Path name, Pipe pipe, SourceFile.Options options) {
        this.pipe = pipe;
        file = new SourceFile(name, options);
    }

    @Override
    public List<SourceFile> files() {
        return List.of(file);
    }

    @Override
    public SourceFile current() throws IOException {
        if (waits || file.isDone()) {
            return null;
        }
        if (!file.isOpen()) {
            file.open(LineBlocks.BLOCK_BYTES);
        }
        return file;
    }

    @Override
    public void atEnd() throws IOException {
        if (file.isLeft()) {
            file.finish();
        } else if (pipe.hasEnded()) {
            file.leave();       // the text after the last line end is a line
        } else {
            waits = true;
        }
    }

    @Override
    public void restart() {
        waits = false;
    }

    @Override
    public long rest(long now) {
        restart();
        return file.isDone() ? Source.ENDED : Source.WHEN_WOKEN;
    }

    @Override
    public void close() throws IOException {
        pipe.close();
        FileOrder.super.close();
    }
}
