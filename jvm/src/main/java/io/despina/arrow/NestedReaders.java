package io.despina.arrow;

import io.despina.packet.NestedWriter;
import io.despina.packet.PacketLayout;
import io.despina.packet.PacketWriter;
import io.despina.packet.Type;

/** Columns of an Arrow record batch whose values are made of others: lists, maps and structs. */
final class NestedReaders {
    private NestedReaders() {
    }

    /** Values made of others, which a packet has as one. */
    private abstract static class Nested extends ColumnReader.Spans {
        private final NestedWriter scratch = new NestedWriter();

        @Override
        final void set(int row, PacketWriter to, int column) {
            append(row, scratch.clear());
            to.setBytes(column, scratch.bytes(), 0, scratch.end());
        }

        static void array(ColumnReader elements, Type type, boolean containsNull, int[] span, NestedWriter to) {
            int count = span[1] - span[0];
            int array = to.beginArray(type, containsNull, count);
            for (int k = 0; k < count; k++) {
                int row = span[0] + k;
                if (elements.isNull(row)) {
                    if (!containsNull) {
                        throw new ArrowException("NULL in an array that has none");
                    }
                    to.setElementNull(type, array, k);
                } else if (elements.isVariable()) {
                    elements.append(row, to);
                    to.endElement(type, containsNull, array, k);
                } else {
                    int slot = to.elementSlot(type, containsNull, array, k);
                    elements.put(row, to.bytes(), slot);
                }
            }
        }
    }

    static final class Lists extends Nested {
        private final Type.Array type;
        private final ColumnReader elements;

        Lists(Type.Array type) {
            this.type = type;
            elements = ColumnReader.of(type.element());
        }

        @Override
        void wrap(BatchParts parts) {
            super.wrap(parts);
            elements.wrap(parts);
        }

        @Override
        void append(int row, NestedWriter to) {
            int end = to(row, elements.count());
            array(elements, type.element(), type.containsNull(), new int[] {from(row), end}, to);
        }
    }

    static final class Maps extends Nested {
        private final Type.MapOf type;
        private final ColumnReader keys;
        private final ColumnReader values;

        Maps(Type.MapOf type) {
            this.type = type;
            keys = ColumnReader.of(type.key());
            values = ColumnReader.of(type.value());
        }

        @Override
        void wrap(BatchParts parts) {
            super.wrap(parts);
            parts.nextNode();
            parts.nextBuffer(0);
            keys.wrap(parts);
            values.wrap(parts);
        }

        @Override
        void append(int row, NestedWriter to) {
            int[] span = {from(row), to(row, Math.min(keys.count(), values.count()))};
            int map = to.beginMap();
            array(keys, type.key(), false, span, to);
            to.endKeys(map);
            array(values, type.value(), type.valueContainsNull(), span, to);
        }
    }

    static final class Structs extends ColumnReader {
        private final PacketLayout layout;
        private final ColumnReader[] fields;
        private final NestedWriter scratch = new NestedWriter();

        Structs(Type.Struct type) {
            layout = PacketLayout.of(type);
            fields = type.fields().stream().map(field -> ColumnReader.of(field.type())).toArray(ColumnReader[]::new);
        }

        @Override
        void wrap(BatchParts parts) {
            super.wrap(parts);
            wrapValidity(parts);
            for (ColumnReader field : fields) {
                field.wrap(parts);
            }
        }

        @Override
        void set(int row, PacketWriter to, int column) {
            append(row, scratch.clear());
            to.setBytes(column, scratch.bytes(), 0, scratch.end());
        }

        @Override
        void append(int row, NestedWriter to) {
            int struct = to.beginStruct(layout);
            for (int k = 0; k < fields.length; k++) {
                if (fields[k].isNull(row)) {
                    to.setFieldNull(layout, struct, k);
                } else if (fields[k].isVariable()) {
                    fields[k].append(row, to);
                    to.endField(layout, struct, k);
                } else {
                    fields[k].put(row, to.bytes(), to.fieldSlot(layout, struct, k));
                }
            }
        }

        @Override
        boolean isVariable() {
            return true;
        }
    }
}
