package io.despina.operator.record.protobuf;

import io.despina.operator.record.value.BrokenRecord;
import io.despina.operator.record.value.ByteCursor;
import java.util.Arrays;

/**
 * Where the fields of messages are in one record. A message's fields come in any order and more than once, and columns want them
 * in theirs: so the fields of a message are found first, and then read. What is known of a message that lies in another one is
 * forgotten when that message has been read. It allocates nothing once it has grown.
 *
 * <p>Occurrences of one field are a chain, and each has three numbers: where it begins and ends, and the next. There is a most of
 * them, as a value of no bytes, which has two of a record, has twelve here.
 */
final class ProtoIndex {
    static final int NONE = -1;

    private static final int FROM = 0;
    private static final int TO = 1;
    private static final int NEXT = 2;
    private static final int NUMBERS = 3;
    /** Of one record: values of fields that are asked for. Numbers that are packed are one. */
    static final int MOST = 1 << 20;
    private static final int FIRST_SIZE = 256;
    /** A larger table is not kept for the next record. */
    private static final int KEPT = 1 << 16;

    private final ByteCursor in = new ByteCursor();
    private final ProtoWire wire = new ProtoWire(in);
    private byte[] bytes = {};
    private int[] occurrences = new int[FIRST_SIZE];
    private int used;
    /** Of each message that is open: the occurrences before it; per slot the first and the last; per group the slot. */
    private int[] frames = new int[FIRST_SIZE];
    private int framesEnd;

    /** Begins with a record, which is a message. @return the frame of its fields */
    int open(ProtoShape shape, byte[] region, int from, int to) {
        bytes = region;
        used = 0;
        framesEnd = 0;
        if (occurrences.length > KEPT) {
            occurrences = new int[FIRST_SIZE];
        }
        int frame = begin(shape);
        scan(shape, frame, from, to);
        end(shape, frame);
        return frame;
    }

    /**
     * Finds the fields of a message within another one.
     *
     * @param at    an occurrence
     * @param chain whether those behind it are parts of the same message, as of a field that is no list
     * @return the frame of its fields, until {@link #leave}
     */
    int enter(ProtoShape shape, int at, boolean chain) {
        int frame = begin(shape);
        for (int part = at; part != NONE; part = chain ? next(part) : NONE) {
            scan(shape, frame, from(part), to(part));
        }
        end(shape, frame);
        return frame;
    }

    /** Forgets the fields of the message that was entered last. */
    void leave(int frame) {
        used = frames[frame];
        framesEnd = frame;
    }

    private int begin(ProtoShape shape) {
        int frame = framesEnd;
        int slots = 2 * shape.size();
        framesEnd += 1 + slots + shape.oneofs();
        if (framesEnd > frames.length) {
            frames = Arrays.copyOf(frames, Math.max(framesEnd, 2 * frames.length));
        }
        frames[frame] = used;
        Arrays.fill(frames, frame + 1, framesEnd, NONE);
        return frame;
    }

    private void end(ProtoShape shape, int frame) {
        for (int slot : shape.required()) {
            if (first(frame, slot) == NONE) {
                throw new BrokenRecord("a " + shape.name() + " without `" + shape.field(slot).name() + "`, which it must have");
            }
        }
    }

    private void scan(ProtoShape shape, int frame, int from, int to) {
        in.open(bytes, from, to);
        while (wire.next()) {
            int slot = shape.slot(wire.number(), wire.wire());
            if (slot >= 0 && (shape.singleEnum(slot) == null || isValue(shape.singleEnum(slot)))) {
                found(shape, frame, slot);
            }
        }
    }

    /** Of the field where the walk is. */
    private boolean isValue(ProtoEnum type) {
        return !type.passesOver((int) wire.varint());
    }

    private void found(ProtoShape shape, int frame, int slot) {
        int oneof = shape.oneof(slot);
        if (oneof >= 0) {
            int group = frame + 1 + 2 * shape.size() + oneof;
            int other = frames[group];
            if (other != NONE && other != slot) {
                frames[place(frame, other)] = NONE;
                frames[place(frame, other) + 1] = NONE;
            }
            frames[group] = slot;
        }
        int place = place(frame, slot);
        int last = frames[place + 1];
        if (last != NONE && !shape.isRepeated(slot) && !shape.isMessage(slot)) {
            put(last);      // the last one counts
            return;
        }
        if (used == MOST * NUMBERS) {
            throw new BrokenRecord("more than " + MOST + " values");
        }
        if (used + NUMBERS > occurrences.length) {
            occurrences = Arrays.copyOf(occurrences, 2 * occurrences.length);
        }
        put(used);
        if (last == NONE) {
            frames[place] = used;
        } else {
            occurrences[last + NEXT] = used;
        }
        frames[place + 1] = used;
        used += NUMBERS;
    }

    private void put(int at) {
        occurrences[at + FROM] = wire.from();
        occurrences[at + TO] = wire.to();
        occurrences[at + NEXT] = NONE;
    }

    private static int place(int frame, int slot) {
        return frame + 1 + 2 * slot;
    }

    /** The first occurrence of a field; -1 if it is not there. */
    int first(int frame, int slot) {
        return frames[place(frame, slot)];
    }

    /** The next one; -1 behind the last. */
    int next(int at) {
        return occurrences[at + NEXT];
    }

    int from(int at) {
        return occurrences[at + FROM];
    }

    int to(int at) {
        return occurrences[at + TO];
    }

    /** Goes to the value of an occurrence. */
    ByteCursor at(int at) {
        in.open(bytes, from(at), to(at));
        return in;
    }

    /** Walks over the fields of an occurrence, which is a message. */
    ProtoWire walk(int at) {
        at(at);
        return wire;
    }
}
