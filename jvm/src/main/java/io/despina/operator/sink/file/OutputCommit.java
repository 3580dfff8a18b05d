package io.despina.operator.sink.file;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/** Makes files visible. An attempt whose process was only stopped for a while may do the same at the same moment. */
final class OutputCommit {
    private final OutputOptions options;
    private final OutputNames names;
    private final OutputDisk disk;
    private final EarlierOutput earlier;

    OutputCommit(OutputOptions options, OutputNames names, EarlierOutput earlier) {
        this.options = options;
        this.names = names;
        disk = options.disk();
        this.earlier = earlier;
    }

    /**
     * Shows a file that consists of these epochs, of which the last has ended it. May be repeated.
     *
     * @param fresh whether no earlier run of this job wrote here, and nothing was shown yet
     */
    void show(List<PreparedEpoch> epochs, boolean fresh) throws IOException {
        Path visible = names.visible(epochs.get(epochs.size() - 1).epoch());
        if (fresh) {
            if (disk.exists(visible) && !earlier.isReplaced(visible)) {
                throw new IOException(disk.text(visible) + " was written by another job in the meantime");
            }
            earlier.announce();
        }
        List<PreparedEpoch> pieces = epochs.stream().filter(one -> one.bytes() != PreparedEpoch.NOTHING).toList();
        if (!pieces.isEmpty()) {
            show(pieces, visible, fresh);
            disk.forceFolder(names.folder());
        }
        if (fresh) {
            earlier.remove(pieces.isEmpty() ? null : visible);
        }
    }

    private void show(List<PreparedEpoch> pieces, Path visible, boolean fresh) throws IOException {
        if (pieces.size() == 1) {
            one(pieces.get(0), visible);
        } else {
            joined(pieces, visible, fresh);
        }
    }

    private void one(PreparedEpoch next, Path visible) throws IOException {
        Path prepared = names.of(next);
        if (!disk.exists(prepared)) {
            refuseUnlessShown(next, visible);
        } else if (options.single() && next.offset() > 0) {
            new SingleFile(options).append(prepared, next.offset());
        } else {
            move(prepared, visible, next);
        }
    }

    private void move(Path prepared, Path visible, PreparedEpoch next) throws IOException {
        try {
            disk.move(prepared, visible);
        } catch (NoSuchFileException | FileNotFoundException gone) {
            refuseUnlessShown(next, visible);
        }
    }

    private void refuseUnlessShown(PreparedEpoch next, Path visible) throws IOException {
        boolean shown = disk.exists(visible) && (!options.single() || disk.size(visible) >= next.offset() + next.bytes());
        if (!shown && !wasShown(next)) {
            throw new IOException(disk.text(visible) + ": epoch " + next.epoch() + " is neither prepared nor there: its "
                    + next.bytes() + " bytes are lost");
        }
    }

    /** Whether an attempt of fewer instances has ended the file with that epoch, because nobody would have added to it. */
    private boolean wasShown(PreparedEpoch one) throws IOException {
        return one.open() && disk.exists(names.visible(one.epoch()));
    }

    /**
     * The file is whole before it has its name, and its pieces go after that, the first one first: while that one is there, the
     * file is joined again, which changes nothing.
     */
    private void joined(List<PreparedEpoch> pieces, Path visible, boolean fresh) throws IOException {
        List<Path> files = pieces.stream().map(names::of).toList();
        if (disk.exists(files.get(0))) {
            Path whole = names.joined(pieces.get(pieces.size() - 1).epoch());
            try {
                new JoinedFile(options).write(files, whole);
                disk.force(whole);
                disk.move(whole, visible);
            } catch (NoSuchFileException | FileNotFoundException gone) {
                disk.delete(whole);
                if (areAll(files)) {
                    throw gone;         // a file cannot be made, as without rights: the pieces are all that there is
                }
                rest(pieces, visible, fresh);
            }
        } else {
            rest(pieces, visible, fresh);
        }
        for (Path file : files) {
            disk.delete(file);
        }
    }

    private boolean areAll(List<Path> files) throws IOException {
        for (Path file : files) {
            if (!disk.exists(file)) {
                return false;
            }
        }
        return true;
    }

    /** A piece is gone: those of a file that another attempt has ended are shown. */
    private void rest(List<PreparedEpoch> pieces, Path visible, boolean fresh) throws IOException {
        int shown = 0;
        for (int k = 0; k < pieces.size(); k++) {
            shown = wasShown(pieces.get(k)) ? k + 1 : shown;
        }
        for (PreparedEpoch one : pieces.subList(shown, pieces.size())) {
            if (!disk.exists(names.of(one))) {
                refuseUnlessShown(one, visible);
            }
        }
        if (shown > 0 && shown < pieces.size() && !disk.exists(visible)) {
            show(pieces.subList(shown, pieces.size()), visible, fresh);
        }
    }
}
