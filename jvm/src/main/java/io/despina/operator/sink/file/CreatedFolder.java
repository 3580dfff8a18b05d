package io.despina.operator.sink.file;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * A folder that a sink creates if it is missing, and removes again if it leaves nothing in it. All instances of the sink share
 * it: the one that created it leaves a mark with the topmost missing folder, which the last one to close reads.
 */
final class CreatedFolder {
    private final Path folder;
    private final Path mark;
    /** The ending of the marks of this sink's instances. */
    private final String ending;
    private final OutputDisk disk;
    private boolean made;

    /** @param mark a hidden file of this instance in the folder; {@code ending} is common to the marks of all instances */
    CreatedFolder(Path mark, String ending, OutputDisk disk) {
        folder = mark.getParent();
        this.mark = mark;
        this.disk = disk;
        this.ending = ending;
    }

    void make() throws IOException {
        Path missing = null;
        for (Path at = folder; at != null && !disk.exists(at); at = at.getParent()) {
            missing = at;
        }
        try {
            disk.makeFolders(folder);
        } catch (IOException e) {
            throw new IOException("cannot make the folder " + disk.text(folder) + ": " + (e instanceof FileAlreadyExistsException
                    || e instanceof NoSuchFileException ? e.getMessage() + " cannot be a folder" : e.getMessage()), e);
        }
        if (missing != null) {
            disk.write(mark, missing.toString());
            made = true;
        }
    }

    boolean isMade() {
        return made;
    }

    /**
     * Closes this instance. The last one removes the marks and, with {@code dropped}, the folder if it is empty.
     *
     * @param dropped whether the output of this instance was dropped
     */
    void close(boolean dropped) throws IOException {
        try {
            List<Path> left = list();
            List<Path> marks = left.stream().filter(file -> name(file).endsWith(ending)).toList();
            boolean empty = left.size() == marks.size();
            if (empty || left.stream().anyMatch(file -> !name(file).startsWith("."))) {
                Path top = unmark(marks);
                for (Path at = folder; empty && dropped && top != null && at.startsWith(top); at = at.getParent()) {
                    disk.delete(at);
                }
            }
        } catch (DirectoryNotEmptyException | NoSuchFileException anotherWasFaster) {
            return;
        }
    }

    /** @return the topmost of the created folders, or null */
    private Path unmark(List<Path> marks) throws IOException {
        Path top = null;
        for (Path mark : marks) {
            Path one = Path.of(disk.read(mark));
            top = top == null || top.startsWith(one) ? one : top;
            disk.delete(mark);
        }
        return top;
    }

    /** The entries of the folder, by name. */
    List<Path> list() throws IOException {
        return disk.list(folder);
    }

    private static String name(Path file) {
        return file.getFileName().toString();
    }
}
