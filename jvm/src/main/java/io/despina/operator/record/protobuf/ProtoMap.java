package io.despina.operator.record.protobuf;

import io.despina.operator.record.value.Scalar;
import io.despina.packet.NestedWriter;
import io.despina.packet.Type;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/** Reads the entries of a map. Of several with one key the last counts. Its keys are read first, then its values. */
final class ProtoMap extends ProtoValue {
    private static final int KEY = 0;
    private static final int VALUE = 1;
    private static final int FIRST_SIZE = 8;
    /** A larger table is not kept for the next map. */
    private static final int KEPT = 1 << 16;

    private final Type.MapOf type;
    /** Of an entry: its key and its value. */
    private final ProtoMembers members;
    private final Scalar scalar = new Scalar();
    private final Set<Object> keys = new HashSet<>();
    /** Those that count, in the order of the record, at the end of the table. */
    private int[] entries = new int[FIRST_SIZE];
    private int begin;

    ProtoMap(Type.MapOf type, ProtoMembers members) {
        this.type = type;
        this.members = members;
    }

    @Override
    void build(ProtoIndex in, int first, boolean chain, NestedWriter out) {
        int count = find(in, first);
        int map = out.beginMap();
        part(KEY, type.key(), false, count, in, out);
        out.endKeys(map);
        part(VALUE, type.value(), type.valueContainsNull(), count, in, out);
        entries = entries.length > KEPT ? new int[FIRST_SIZE] : entries;
    }

    /** @return how many entries count */
    private int find(ProtoIndex in, int first) {
        int count = 0;
        for (int at = first; at != ProtoIndex.NONE; at = in.next(at)) {
            entries = count == entries.length ? Arrays.copyOf(entries, 2 * count) : entries;
            entries[count++] = at;
        }
        begin = count;
        if (count == 1) {
            begin = 0;
        } else {
            for (int k = count - 1; k >= 0; k--) {
                entries[begin - 1] = entries[k];
                begin -= keys.add(key(in, entries[k])) ? 1 : 0;
            }
            keys.clear();
        }
        return count - begin;
    }

    private Object key(ProtoIndex in, int entry) {
        int frame = in.enter(members.shape(), entry, false);
        members.read(KEY, in, frame, scalar);
        in.leave(frame);
        return type.key().width() == Type.VARIABLE ? ByteBuffer.wrap(scalar.bytes(), scalar.from(), scalar.to() - scalar.from())
                : (Object) scalar.number();
    }

    private void part(int which, Type of, boolean containsNull, int count, ProtoIndex in, NestedWriter out) {
        int array = out.beginArray(of, containsNull, count);
        boolean isVariable = of.width() == Type.VARIABLE;
        for (int k = 0; k < count; k++) {
            int frame = in.enter(members.shape(), entries[begin + k], false);
            if (isNested(of)) {
                members.build(which, in, frame, out);
            } else {
                members.read(which, in, frame, scalar);
                scalar.write(of, out, isVariable ? 0 : out.elementSlot(of, containsNull, array, k));
            }
            if (isVariable) {
                out.endElement(of, containsNull, array, k);
            }
            in.leave(frame);
        }
    }
}
