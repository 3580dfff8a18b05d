package io.despina.packet;

import java.util.List;

/** The place of each column of a schema in a packet's body. The picture is in {@code package-info}. */
public final class PacketLayout {
    /** A column that has no null bit. */
    static final int NOT_NULL = -1;
    /** The last variable-width column has no slot: it ends with the body. */
    static final int TO_THE_END = -1;

    /** The first variable-width column begins where the fixed part ends. */
    static final int FIRST = -1;

    final Type[] types;
    /** Per column: the offset of its value, or of the slot that holds its end, or {@link #TO_THE_END}. */
    final int[] offset;
    /** Per column: the index of its null bit, or {@link #NOT_NULL}. */
    final int[] nullBit;
    /** Per variable-width column: the offset of the slot where the one before it ends, or {@link #FIRST}. */
    final int[] previousSlot;
    final boolean[] variable;
    /** Per column: bytes of its value, or {@link Type#VARIABLE}. */
    final int[] width;
    final int nullBytes;
    final int fixedBytes;

    PacketLayout(List<Column> columns) {
        int n = columns.size();
        types = new Type[n];
        offset = new int[n];
        nullBit = new int[n];
        previousSlot = new int[n];
        variable = new boolean[n];
        width = new int[n];
        int nullable = 0;
        int lastVariable = -1;
        for (int k = 0; k < n; k++) {
            types[k] = columns.get(k).type();
            width[k] = types[k].width();
            variable[k] = width[k] == Type.VARIABLE;
            nullBit[k] = columns.get(k).nullable() ? nullable++ : NOT_NULL;
            lastVariable = variable[k] ? k : lastVariable;
        }
        nullBytes = (nullable + 7) / 8;
        int at = nullBytes;
        int slot = FIRST;
        for (int k = 0; k < n; k++) {
            previousSlot[k] = slot;
            if (k == lastVariable) {
                offset[k] = TO_THE_END;
            } else {
                offset[k] = at;
                slot = variable[k] ? at : slot;
                at += variable[k] ? Integer.BYTES : width[k];
            }
        }
        fixedBytes = at;
    }

    /** The layout of a struct's body. */
    public static PacketLayout of(Type.Struct struct) {
        return new PacketLayout(struct.fields());
    }

    /** The least length of a body, in bytes: null bits and fixed part. */
    public int fixedBytes() {
        return fixedBytes;
    }

    /** Whether no column is of variable width: every body then has {@link #fixedBytes}. */
    public boolean isFixed() {
        for (boolean v : variable) {
            if (v) {
                return false;
            }
        }
        return true;
    }

    public int columns() {
        return types.length;
    }

    public Type type(int column) {
        return types[column];
    }

    public boolean isVariable(int column) {
        return variable[column];
    }
}
