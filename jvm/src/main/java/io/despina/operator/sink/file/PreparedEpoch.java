package io.despina.operator.sink.file;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * An epoch that a file sink instance has prepared and not committed.
 *
 * @param offset  of a single file: its size before this epoch
 * @param bytes   {@link #NOTHING} if there is no file
 * @param attempt that has written it; 0 where the job takes no snapshots
 * @param open    whether the file goes on: behind these bytes, where an attempt that is restored ends it; or where each epoch has
 *                a file of its own, with the next one
 * @param file    the number of a file that has its name from its beginning, see {@link OutputNames#writing}; 0 if its name is the
 *                epoch's
 */
record PreparedEpoch(long epoch, long offset, long bytes, int attempt, boolean open, long file) {
    /** The bytes of an epoch without a file. */
    static final long NOTHING = -1;
    /** Of names in a snapshot; the epoch follows. */
    private static final String NAME = "pending ";

    void put(Map<String, String> standing) {
        standing.put(NAME + epoch, offset + " " + bytes + " " + attempt + " " + open + " " + file);
    }

    /** All that {@link #put} has put in. */
    static List<PreparedEpoch> all(Map<String, String> standing) {
        List<PreparedEpoch> all = new ArrayList<>();
        standing.forEach((name, text) -> {
            if (name.startsWith(NAME)) {
                String[] parts = text.split(" ");
                all.add(new PreparedEpoch(Long.parseLong(name.substring(NAME.length())), Long.parseLong(parts[0]),
                        Long.parseLong(parts[1]), Integer.parseInt(parts[2]), Boolean.parseBoolean(parts[3]),
                        Long.parseLong(parts[4])));
            }
        });
        all.sort(Comparator.comparingLong(PreparedEpoch::epoch));
        return all;
    }

    /** What is left to do once all that ended with a file is committed: the epochs behind the last one that ended one. */
    static List<PreparedEpoch> going(List<PreparedEpoch> all) {
        List<PreparedEpoch> going = new ArrayList<>();
        for (PreparedEpoch one : all) {
            if (one.open()) {
                going.add(one);
            } else {
                going.clear();
            }
        }
        return going;
    }

    /** The epochs of the first file that has ended; empty if none has. */
    static List<PreparedEpoch> firstFile(Iterable<PreparedEpoch> all) {
        List<PreparedEpoch> epochs = new ArrayList<>();
        for (PreparedEpoch one : all) {
            epochs.add(one);
            if (!one.open()) {
                return epochs;
            }
        }
        return List.of();
    }

    /** Whether a file with rows has ended in one of the epochs up to that one, so that its commit lets others see it. */
    static boolean isAnySeen(List<PreparedEpoch> all, long epoch) {
        boolean rows = false;
        for (PreparedEpoch one : all) {
            rows |= one.bytes() != NOTHING;
            if (rows && !one.open() && one.epoch() <= epoch) {
                return true;
            }
        }
        return false;
    }

    /** The same epochs, where nobody adds to the last file any more. */
    static List<PreparedEpoch> lastEnded(List<PreparedEpoch> all) {
        List<PreparedEpoch> ended = new ArrayList<>(all);
        ended.replaceAll(one -> one == all.get(all.size() - 1) ? one.ended() : one);
        return ended;
    }

    /** The same, in a file that is named after the epoch. */
    PreparedEpoch named() {
        return new PreparedEpoch(epoch, offset, bytes, attempt, open, 0);
    }

    /** The same, whose file has ended. */
    PreparedEpoch ended() {
        return new PreparedEpoch(epoch, offset, bytes, attempt, false, file);
    }

    /** The same in a copy of a later attempt. */
    PreparedEpoch copied(int by) {
        return new PreparedEpoch(epoch, offset, bytes, by, false, 0);
    }
}
