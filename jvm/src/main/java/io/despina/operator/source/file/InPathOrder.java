package io.despina.operator.source.file;

import java.io.IOException;
import java.util.List;

/** File after file. */
final class InPathOrder implements FileOrder {
    private final List<SourceFile> files;
    /** Whose turn it is; all are done when it is their number. */
    private int turn;

    InPathOrder(List<SourceFile> files) {
        this.files = files;
    }

    @Override
    public List<SourceFile> files() {
        return files;
    }

    @Override
    public SourceFile current() throws IOException {
        while (turn < files.size() && files.get(turn).isDone()) {
            turn++;
        }
        if (turn == files.size()) {
            return null;
        }
        SourceFile file = files.get(turn);
        if (!file.isOpen()) {
            file.open(LineBlocks.BLOCK_BYTES);
        }
        return file;
    }

    @Override
    public void atEnd() throws IOException {
        files.get(turn).finish();
    }

    @Override
    public void restart() {
        turn = 0;
    }
}
