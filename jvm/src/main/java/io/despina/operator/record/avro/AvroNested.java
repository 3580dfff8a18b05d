package io.despina.operator.record.avro;

import io.despina.operator.record.value.BrokenRecord;
import io.despina.operator.record.value.ByteCursor;
import io.despina.operator.record.value.Scalar;
import io.despina.packet.NestedWriter;
import io.despina.packet.PacketLayout;
import io.despina.packet.Type;

/** Reads lists, maps and records within records. */
abstract class AvroNested extends AvroValue {

    static boolean isNested(Type type) {
        return type instanceof Type.Array || type instanceof Type.MapOf || type instanceof Type.Struct;
    }

    /** Reads the items of a list in blocks; {@link #item} takes each. */
    private abstract static class Items extends AvroNested {
        final Scalar scalar = new Scalar();

        abstract void item(ByteCursor in, NestedWriter out, int array, int k);

        final void items(ByteCursor in, NestedWriter out, int array) {
            int k = 0;
            for (long count = AvroItems.block(in); count != 0; count = AvroItems.block(in)) {
                for (long left = count; left > 0; left--) {
                    item(in, out, array, k++);
                }
            }
        }

        /** Whether the item is NULL. */
        final boolean put(AvroValue value, ByteCursor in, NestedWriter out, Type.Array type, int array, int k) {
            Type element = type.element();
            boolean has = isNested(element) ? value.build(in, out) : value.read(in, scalar);
            if (has && !isNested(element)) {
                scalar.write(element, out, element.width() == Type.VARIABLE ? 0
                        : out.elementSlot(element, type.containsNull(), array, k));
            }
            if (has && element.width() == Type.VARIABLE) {
                out.endElement(element, type.containsNull(), array, k);
            }
            return has;
        }

        /** The blocks may have said a wrong size of themselves. */
        static void checkEnd(ByteCursor in, int end) {
            if (in.at() != end) {
                throw new BrokenRecord("a block of items whose size is wrong");
            }
        }
    }

    static final class OfArray extends Items {
        private final Type.Array type;
        private final AvroValue value;
        private final AvroSkip skip;

        OfArray(Type.Array type, AvroValue value, AvroSkip skip) {
            this.type = type;
            this.value = value;
            this.skip = skip;
        }

        @Override
        boolean build(ByteCursor in, NestedWriter out) {
            int start = in.at();
            int count = AvroItems.skip(in, skip, false);
            int end = in.at();
            in.moveTo(start);
            int array = out.beginArray(type.element(), type.containsNull(), count);
            items(in, out, array);
            checkEnd(in, end);
            return true;
        }

        @Override
        void item(ByteCursor in, NestedWriter out, int array, int k) {
            if (!put(value, in, out, type, array, k)) {
                out.setElementNull(type.element(), array, k);
            }
        }
    }

    /** Its keys are read first, then its values. */
    static final class OfMap extends Items {
        private static final AvroValue KEY = AvroScalar.of(AvroScalar.ReadAs.TEXT, Type.Simple.STRING);

        private final Type.Array keys;
        private final Type.Array values;
        private final AvroValue value;
        private final AvroSkip skip;
        private boolean atKeys;

        OfMap(Type.MapOf type, AvroValue value, AvroSkip skip) {
            keys = new Type.Array(type.key(), false);
            values = new Type.Array(type.value(), type.valueContainsNull());
            this.value = value;
            this.skip = skip;
        }

        @Override
        boolean build(ByteCursor in, NestedWriter out) {
            int start = in.at();
            int count = AvroItems.skip(in, skip, true);
            int end = in.at();
            int map = out.beginMap();
            part(true, in, out, start, count);
            checkEnd(in, end);
            out.endKeys(map);
            part(false, in, out, start, count);
            return true;
        }

        private void part(boolean ofKeys, ByteCursor in, NestedWriter out, int start, int count) {
            Type.Array type = ofKeys ? keys : values;
            in.moveTo(start);
            int array = out.beginArray(type.element(), type.containsNull(), count);
            atKeys = ofKeys;
            items(in, out, array);
        }

        @Override
        void item(ByteCursor in, NestedWriter out, int array, int k) {
            if (atKeys) {
                put(KEY, in, out, keys, array, k);
                skip.skip(in);
            } else {
                in.take(in.zigzag());
                if (!put(value, in, out, values, array, k)) {
                    out.setElementNull(values.element(), array, k);
                }
            }
        }
    }

    /** Its fields are found first, and read in the order of the type. */
    static final class OfRecord extends AvroNested {
        private final Type.Struct type;
        private final PacketLayout layout;
        private final AvroSkip[] skips;
        /** Of each field of the type: the writer's, or -1. */
        private final int[] origins;
        private final AvroValue[] values;
        private final Scalar scalar = new Scalar();
        private final int[] places;

        OfRecord(Type.Struct type, AvroSkip[] skips, int[] origins, AvroValue[] values) {
            this.type = type;
            layout = PacketLayout.of(type);
            this.skips = skips;
            this.origins = origins;
            this.values = values;
            places = new int[skips.length];
        }

        @Override
        boolean build(ByteCursor in, NestedWriter out) {
            for (int k = 0; k < skips.length; k++) {
                places[k] = in.at();
                skips[k].skip(in);
            }
            int end = in.at();
            int struct = out.beginStruct(layout);
            for (int k = 0; k < values.length; k++) {
                Type of = type.fields().get(k).type();
                boolean has = false;
                if (origins[k] >= 0) {
                    in.moveTo(places[origins[k]]);
                    has = isNested(of) ? values[k].build(in, out) : values[k].read(in, scalar);
                }
                if (!has) {
                    if (!type.fields().get(k).nullable()) {
                        throw new BrokenRecord("NULL in `" + type.fields().get(k).name() + "`, which is NOT NULL");
                    }
                    out.setFieldNull(layout, struct, k);
                    continue;
                }
                boolean isVariable = of.width() == Type.VARIABLE;
                if (!isNested(of)) {
                    scalar.write(of, out, isVariable ? 0 : out.fieldSlot(layout, struct, k));
                }
                if (isVariable) {
                    out.endField(layout, struct, k);
                }
            }
            in.moveTo(end);
            return true;
        }
    }
}
