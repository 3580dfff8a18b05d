package io.despina.operator.record.protobuf;

import io.despina.operator.record.value.BrokenRecord;
import io.despina.operator.record.value.ByteCursor;
import io.despina.operator.record.value.RowValues;

/**
 * Reads a message into a row while it walks over its fields, if each column has a {@link ProtoWay}. What few of such messages
 * have, it leaves to {@link ProtoIndex}, which knows the whole message before it reads a value: a time in several parts, a group,
 * and all that is wrong.
 */
final class ProtoFlat {
    /** Numbers of fields beyond have no place in the tables. */
    private static final int MOST_NUMBER = 255;
    private static final int SECONDS = 1 << ProtoWire.WIRE_BITS | ProtoWire.VARINT;
    private static final int NANOS = 2 << ProtoWire.WIRE_BITS | ProtoWire.VARINT;

    /** By tag: null where nobody asks for the field, or it is not written so. */
    private final ProtoWay[] ways = new ProtoWay[MOST_NUMBER + 1 << ProtoWire.WIRE_BITS];
    private final int[] columns = new int[ways.length];
    private final ProtoValue[] values = new ProtoValue[ways.length];
    private final ByteCursor in = new ByteCursor();
    private final ByteCursor part = new ByteCursor();

    private ProtoFlat() {
    }

    /** Null if messages cannot be read so. @param columns how many there are */
    static ProtoFlat of(ProtoMembers members, int columns) {
        ProtoFlat flat = new ProtoFlat();
        ProtoShape shape = members.shape();
        boolean fits = !shape.isEntry();
        for (int slot = 0; slot < shape.size(); slot++) {
            ProtoField field = shape.field(slot);
            fits &= field.oneof() < 0 && !field.required() && !field.repeated() && field.number() <= MOST_NUMBER;
        }
        for (int column = 0; fits && column < columns; column++) {
            if (members.has(column)) {
                fits = flat.add(members.field(column), column, members.value(column));
            }
        }
        return fits ? flat : null;
    }

    private boolean add(ProtoField field, int column, ProtoValue value) {
        int tag = field.number() << ProtoWire.WIRE_BITS | field.type().wire;
        boolean isAlone = ways[tag] == null;
        ways[tag] = value.way();
        columns[tag] = column;
        values[tag] = value;
        return isAlone && ways[tag] != null;
    }

    /** @return false if it is left to the index: the row then has a part of the message */
    boolean read(byte[] bytes, int from, int to, RowValues row) {
        in.open(bytes, from, to);
        try {
            while (in.left() > 0) {
                if (!field(in.varint(), row)) {
                    return false;
                }
            }
            return true;
        } catch (BrokenRecord broken) {
            return false;
        }
    }

    private boolean field(long tag, RowValues row) {
        if (tag < 1 << ProtoWire.WIRE_BITS || tag > ProtoWire.MOST_TAG) {
            return false;
        }
        ProtoWay way = tag < ways.length ? ways[(int) tag] : null;
        switch ((int) tag & ProtoWire.WIRE_MASK) {
            case ProtoWire.VARINT -> {
                return number((int) tag, way, in.varint(), row);
            }
            case ProtoWire.EIGHT -> {
                return number((int) tag, way, in.eight(), row);
            }
            case ProtoWire.FOUR -> {
                return number((int) tag, way, in.four(), row);
            }
            case ProtoWire.BYTES -> {
                int from = in.take(in.varint());
                return way == null || bytes(way, columns[(int) tag], from, row);
            }
            default -> {
                return false;
            }
        }
    }

    private boolean number(int tag, ProtoWay way, long raw, RowValues row) {
        if (way == ProtoWay.SYMBOL) {
            byte[] name = values[tag].symbol((int) raw);
            if (name == null) {
                return false;
            }
            row.bytes(columns[tag], name, 0, name.length);
        } else if (way != null) {
            row.number(columns[tag], way.number(raw));
        }
        return true;
    }

    /** A value up to where the walk is. */
    private boolean bytes(ProtoWay way, int column, int from, RowValues row) {
        byte[] bytes = in.bytes();
        if (way == ProtoWay.TIME) {
            return !row.has(column) && time(column, from, row);
        }
        if (way == ProtoWay.TEXT) {
            ByteCursor.checkText(bytes, from, in.at());
        }
        row.bytes(column, bytes, from, in.at());
        return true;
    }

    private boolean time(int column, int from, RowValues row) {
        long seconds = 0;
        int nanos = 0;
        part.open(in.bytes(), from, in.at());
        while (part.left() > 0) {
            switch (part.next()) {
                case SECONDS -> seconds = part.varint();
                case NANOS -> nanos = (int) part.varint();
                default -> {
                    return false;
                }
            }
        }
        row.number(column, ProtoTime.micros(seconds, nanos));
        return true;
    }
}
