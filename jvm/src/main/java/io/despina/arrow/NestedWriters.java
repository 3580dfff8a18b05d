package io.despina.arrow;

import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketArray;
import io.despina.packet.PacketLayout;
import io.despina.packet.PacketMap;
import io.despina.packet.Type;
import java.util.List;
import java.util.function.Consumer;

/** Arrow columns whose values are made of others: lists, maps and structs. */
final class NestedWriters {
    private NestedWriters() {
    }

    private static void addAll(PacketArray from, ColumnWriter to) {
        boolean isVariable = from.element().width() == Type.VARIABLE;
        for (int k = 0; k < from.count(); k++) {
            if (from.isNull(k)) {
                to.addNull();
            } else if (isVariable) {
                int start = from.valueStart(k);
                to.add(from.bytes(), start, from.valueEnd());
            } else {
                to.add(from.bytes(), from.fixedStart(k), 0);
            }
        }
    }

    static final class Lists extends ColumnWriter.Spanned {
        private final PacketArray view;
        private final ColumnWriter elements;

        Lists(Type.Array type) {
            view = new PacketArray(type.element(), type.containsNull());
            elements = ColumnWriter.of(type.element());
        }

        @Override
        void put(byte[] bytes, int from, int to) {
            addAll(view.wrap(bytes, from, to), elements);
            end(elements.count());
        }

        @Override
        void putNull() {
            end(elements.count());
        }

        @Override
        void nodes(Nodes to) {
            super.nodes(to);
            elements.nodes(to);
        }

        @Override
        void buffers(Consumer<ByteList> to) {
            super.buffers(to);
            elements.buffers(to);
        }

        @Override
        void clear() {
            super.clear();
            elements.clear();
        }
    }

    /** A list of structs of key and value, none of which is NULL. */
    static final class Maps extends ColumnWriter.Spanned {
        private static final ByteList NONE = new ByteList();

        private final PacketMap view;
        private final ColumnWriter keys;
        private final ColumnWriter values;

        Maps(Type.MapOf type) {
            view = new PacketMap(type);
            keys = ColumnWriter.of(type.key());
            values = ColumnWriter.of(type.value());
        }

        @Override
        void put(byte[] bytes, int from, int to) {
            view.wrap(bytes, from, to);
            addAll(view.keys(), keys);
            addAll(view.values(), values);
            end(keys.count());
        }

        @Override
        void putNull() {
            end(keys.count());
        }

        @Override
        void nodes(Nodes to) {
            super.nodes(to);
            to.add(keys.count(), 0);
            keys.nodes(to);
            values.nodes(to);
        }

        @Override
        void buffers(Consumer<ByteList> to) {
            super.buffers(to);
            to.accept(NONE);
            keys.buffers(to);
            values.buffers(to);
        }

        @Override
        void clear() {
            super.clear();
            keys.clear();
            values.clear();
        }
    }

    static final class Structs extends ColumnWriter {
        private final Packet view;
        private final ColumnWriter[] fields;

        Structs(Type.Struct type) {
            super(true);
            view = new Packet(PacketLayout.of(type));
            List<Column> columns = type.fields();
            fields = columns.stream().map(column -> ColumnWriter.of(column.type())).toArray(ColumnWriter[]::new);
        }

        @Override
        void put(byte[] bytes, int from, int to) {
            view.wrapBody(bytes, from, to);
            for (int k = 0; k < fields.length; k++) {
                fields[k].add(view, k);
            }
        }

        @Override
        void putNull() {
            for (ColumnWriter field : fields) {
                field.addNull();
            }
        }

        @Override
        void nodes(Nodes to) {
            super.nodes(to);
            for (ColumnWriter field : fields) {
                field.nodes(to);
            }
        }

        @Override
        void buffers(Consumer<ByteList> to) {
            super.buffers(to);
            for (ColumnWriter field : fields) {
                field.buffers(to);
            }
        }

        @Override
        void clear() {
            super.clear();
            for (ColumnWriter field : fields) {
                field.clear();
            }
        }
    }
}
