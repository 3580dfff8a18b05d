package io.despina.operator.keyed;

import io.despina.packet.ListOutput;
import java.util.Arrays;
import java.util.BitSet;

/**
 * The runs of one group of a pattern, by their beginnings. Where there are many, a run keeps its place as long as half of the
 * places are taken, so that a snapshot has {@link ListOutput#PART} places anew in which something has changed, and no others.
 */
final class GroupRuns {
    /** In place of a run that has ended. */
    static final int NONE = -1;
    private static final int FIRST = 4;
    private static final int OBJECT_BYTES = 64;

    private int[] runs = new int[FIRST];
    private int size;
    private int live;
    /** By so many places, whether a run has changed since a snapshot took them; null while there are few. */
    private BitSet changed;
    /** Another one when runs have come to other places. */
    private Object list = this;

    /** Places, of which some may have {@link #NONE}. */
    int size() {
        return size;
    }

    /** How many have not ended. */
    int live() {
        return live;
    }

    /** The run in a place, or {@link #NONE}. */
    int run(int place) {
        return runs[place];
    }

    void add(int run) {
        if (size == runs.length) {
            runs = Arrays.copyOf(runs, 2 * size);
        }
        runs[size++] = run;
        live++;
        if (size == ListOutput.PART) {
            changed = new BitSet();
        }
    }

    /** The run in a place is about to change. */
    void change(int place) {
        if (changed != null) {
            changed.set(place / ListOutput.PART);
        }
    }

    /** The run in a place has ended. */
    void end(int place) {
        runs[place] = NONE;
        live--;
        change(place);
    }

    /** Moves the runs together, if they have few places or most of these are empty. */
    void closeUp() {
        if (size == live || size >= ListOutput.PART && live >= size / 2) {
            return;
        }
        list = size < ListOutput.PART ? list : new Object();
        int to = 0;
        for (int place = 0; place < size; place++) {
            if (runs[place] != NONE) {
                runs[to++] = runs[place];
            }
        }
        size = to;
        changed = size < ListOutput.PART ? null : new BitSet();
    }

    /** For {@link ListOutput#apart}: the same object as long as runs keep their places. */
    Object list() {
        return list;
    }

    /** Whether a run in the part that begins there has changed since {@link #keep}. */
    boolean hasChanged(int from) {
        return changed.get(from / ListOutput.PART);
    }

    /** A snapshot has taken the part that begins there. */
    void keep(int from) {
        changed.clear(from / ListOutput.PART);
    }

    long bytes() {
        return OBJECT_BYTES + (long) runs.length * Integer.BYTES + (changed == null ? 0 : changed.size() / Byte.SIZE);
    }
}
