package io.despina.state;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Of the long lists in the values of a table, which elements a snapshot has already: so many parts of each list, every one of
 * them an entry with a number.
 */
final class ListParts {
    private final Map<Integer, List<Known>> byEntry = new HashMap<>();
    /** Numbers that are free again: a stack. */
    private int[] free = {};
    private int freed;
    private int nextNumber;
    private int nextId;

    /** A list of which parts were written, or are about to be. */
    static final class Known {
        final int id;
        /** Null if its value has left. */
        private Object list;
        private int[] numbers = {};
        /** Parts that are written. */
        private int written;
        /** Parts that are written or about to be. */
        private int wanted;
        private boolean met;

        private Known(int id, Object list) {
            this.id = id;
            this.list = list;
        }

        int wanted() {
            return wanted;
        }

        void want(int parts) {
            wanted = parts;
        }
    }

    /** Begins a snapshot that has all. */
    void forgetAll() {
        byEntry.clear();
        freed = 0;
        nextNumber = 0;
        nextId = 0;
    }

    /** The value of an entry is about to be written. */
    void begin(int entry) {
        for (Known each : byEntry.getOrDefault(entry, List.of())) {
            each.met = false;
        }
    }

    /** A list of the value that is being written. */
    Known meet(int entry, Object list) {
        List<Known> all = byEntry.computeIfAbsent(entry, none -> new ArrayList<>(1));
        for (Known each : all) {
            if (each.list == list) {
                each.met = true;
                return each;
            }
        }
        Known known = new Known(nextId++, list);
        known.met = true;
        all.add(known);
        return known;
    }

    /** The value was written. @return lists that it has no more */
    List<Known> end(int entry) {
        List<Known> all = byEntry.get(entry);
        if (all == null) {
            return List.of();
        }
        List<Known> gone = all.stream().filter(each -> !each.met).toList();
        all.removeAll(gone);
        if (all.isEmpty()) {
            byEntry.remove(entry);
        }
        return gone;
    }

    /** An entry has no value any more. @return its lists */
    List<Known> gone(int entry) {
        List<Known> all = byEntry.remove(entry);
        return all == null ? List.of() : all;
    }

    /** The value of an entry leaves; its lists need not be kept for a look whether they are the same. */
    void letGo(int entry) {
        if (!byEntry.isEmpty()) {
            byEntry.getOrDefault(entry, List.of()).forEach(each -> each.list = null);
        }
    }

    /** The number of a part of a list: its own if it was written before, else that of the next part. */
    int number(Known known, int part) {
        if (part < known.written) {
            return known.numbers[part];
        }
        int number = freed > 0 ? free[--freed] : nextNumber++;
        if (known.written == known.numbers.length) {
            known.numbers = Arrays.copyOf(known.numbers, Math.max(4, 2 * known.written));
        }
        known.numbers[known.written++] = number;
        return number;
    }

    /** Takes back the number of the last part of a list. @return -1 if it has no parts */
    int takeBack(Known known) {
        if (known.written == 0) {
            return -1;
        }
        int number = known.numbers[--known.written];
        free = freed == free.length ? Arrays.copyOf(free, Math.max(4, 2 * freed)) : free;
        free[freed++] = number;
        return number;
    }
}
