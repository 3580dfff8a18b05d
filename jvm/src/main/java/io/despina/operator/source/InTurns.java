package io.despina.operator.source;

import java.io.IOException;
import java.util.List;

/** Files that grow: each has its turn until it has no more for now. */
final class InTurns implements FileOrder {
    private final List<SourceFile> files;
    private int turn;
    /** How many files have had their turn since {@link #restart}. */
    private int had;

    InTurns(List<SourceFile> files) {
        this.files = files;
    }

    @Override
    public List<SourceFile> files() {
        return files;
    }

    @Override
    public SourceFile current() throws IOException {
        if (had == files.size()) {
            return null;
        }
        SourceFile file = files.get(turn);
        if (!file.isOpen()) {
            file.open(LineBlocks.BLOCK_BYTES);
        }
        return file;
    }

    @Override
    public long limit() {
        return Long.MAX_VALUE;
    }

    @Override
    public void passTurn(long micros) {
        throw new IllegalStateException("no packet waits for another file's");
    }

    @Override
    public void atEnd() {
        turn = (turn + 1) % files.size();
        had++;
    }

    /** Every file has a turn again. */
    @Override
    public void restart() {
        had = 0;
    }
}
