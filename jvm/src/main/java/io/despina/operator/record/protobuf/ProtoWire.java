package io.despina.operator.record.protobuf;

import io.despina.operator.record.value.BrokenRecord;
import io.despina.operator.record.value.ByteCursor;

/** Walks over the fields of a message, whatever they are. A tag begins each: its number, and in three bits how it is written. */
final class ProtoWire {
    static final int VARINT = 0;
    static final int EIGHT = 1;
    /** A length, and so many bytes. */
    static final int BYTES = 2;
    /** Fields up to a tag of {@link #END_GROUP} with the same number. */
    static final int GROUP = 3;
    static final int END_GROUP = 4;
    static final int FOUR = 5;
    /** Bits of a tag that say how a value is written. */
    static final int WIRE_BITS = 3;

    static final int WIRE_MASK = 7;
    static final long MOST_TAG = 0xFFFF_FFFFL;

    private final ByteCursor in;
    private int number;
    private int wire;
    private int from;
    private int to;

    /** @param in where the walk is; between two calls of {@link #next} it must come back to where it was */
    ProtoWire(ByteCursor in) {
        this.in = in;
    }

    /** Goes to the next field, up to the cursor's end. @return false behind the last */
    boolean next() {
        if (in.left() == 0) {
            return false;
        }
        long tag = tag();
        number = number(tag);
        wire = (int) tag & WIRE_MASK;
        switch (wire) {
            case BYTES -> {
                long length = in.varint();
                from = in.take(length);
                to = in.at();
            }
            case GROUP -> {
                from = in.at();
                to = skipGroup(number);
            }
            default -> {
                from = in.at();
                skip(wire, number);
                to = in.at();
            }
        }
        return true;
    }

    private long tag() {
        long tag = in.varint();
        if (tag < 0 || tag > MOST_TAG || number(tag) == 0) {
            throw new BrokenRecord("the number " + Long.toUnsignedString(tag >>> WIRE_BITS) + " where a field begins");
        }
        return tag;
    }

    private static int number(long tag) {
        return (int) (tag >>> WIRE_BITS);
    }

    private void skip(int how, int group) {
        switch (how) {
            case VARINT -> in.varint();
            case EIGHT -> in.take(Long.BYTES);
            case FOUR -> in.take(Integer.BYTES);
            case BYTES -> in.take(in.varint());
            case GROUP -> skipGroup(group);
            default -> throw new BrokenRecord(how == END_GROUP ? "the end of a group that has not begun"
                    : "a value of the wire type " + how);
        }
    }

    /** @return where its last field ends */
    private int skipGroup(int group) {
        in.enter();
        while (true) {
            int end = in.at();
            long tag = tag();
            int how = (int) tag & WIRE_MASK;
            if (how == END_GROUP) {
                if (number(tag) != group) {
                    throw new BrokenRecord("the end of group " + number(tag) + " in group " + group);
                }
                in.leave();
                return end;
            }
            skip(how, number(tag));
        }
    }

    int number() {
        return number;
    }

    int wire() {
        return wire;
    }

    /** Where the value begins: behind its length, if it has one. */
    int from() {
        return from;
    }

    /** Where the value ends: before the end of a group. */
    int to() {
        return to;
    }

    /** The value, of a field that is a {@link #VARINT}. */
    long varint() {
        in.moveTo(from);
        return in.varint();
    }
}
