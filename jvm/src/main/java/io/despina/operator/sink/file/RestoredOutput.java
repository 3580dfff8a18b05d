package io.despina.operator.sink.file;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Takes over what earlier attempts have written. Of their files those stay that the snapshot has. An attempt before may live on,
 * because its process was only stopped for a while: what it does to files of its own name then no longer matters.
 */
final class RestoredOutput {
    private final OutputOptions options;
    private final OutputNames names;
    private final OutputDisk disk;

    RestoredOutput(OutputOptions options, OutputNames names) {
        this.options = options;
        this.names = names;
        disk = options.disk();
    }

    /**
     * Ends the files that go on, and drops what was written after the snapshot.
     *
     * @param prepared in the snapshot
     * @param entries  the entries of the folder
     * @return the epochs that are to be committed
     */
    List<PreparedEpoch> take(List<PreparedEpoch> prepared, List<Path> entries) throws IOException {
        List<PreparedEpoch> whole = new ArrayList<>();
        for (PreparedEpoch one : prepared) {
            whole.add(one.open() && options.cuts() ? end(one) : one);
        }
        Set<Path> kept = whole.stream().map(names::of).collect(Collectors.toSet());
        for (Path file : entries) {
            String name = file.getFileName().toString();
            if (names.isOwnUncommitted(name) && !kept.contains(file)) {
                disk.delete(file);
            } else if (names.isOfEarlierAttempt(name) && name.endsWith(OutputNames.LOCK)) {
                disk.isHeld(file);      // deletes it, if not
            }
        }
        return whole;
    }

    /** Ends the file that an earlier attempt was writing where the snapshot has it. If that attempt lives on, by a copy. */
    private PreparedEpoch end(PreparedEpoch one) throws IOException {
        Path file = names.of(one);
        if (!disk.exists(file)) {
            return endedBefore(one);
        }
        if (disk.size(file) < one.bytes()) {
            throw new IOException(disk.text(file) + " has " + disk.size(file) + " bytes, but this job had written " + one.bytes()
                    + " in epoch " + one.epoch());
        }
        Path lock = names.lock(one.attempt());
        if (disk.exists(lock) && disk.isHeld(lock)) {
            PreparedEpoch copy = one.copied(options.attempt());
            disk.copy(file, one.bytes(), names.of(copy));
            disk.force(names.of(copy));
            disk.forceFolder(names.folder());
            return copy;
        }
        disk.cut(file, one.bytes());
        disk.force(file);
        return one.ended();
    }

    /** An attempt between that one and this one has copied or committed it: its commit says if it is not there. */
    private PreparedEpoch endedBefore(PreparedEpoch one) throws IOException {
        for (int attempt = options.attempt(); attempt > one.attempt(); attempt--) {
            if (disk.exists(names.of(one.copied(attempt)))) {
                return one.copied(attempt);
            }
        }
        return one.ended();
    }
}
