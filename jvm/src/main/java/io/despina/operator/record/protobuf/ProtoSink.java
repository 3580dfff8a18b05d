package io.despina.operator.record.protobuf;

import io.despina.packet.Packet;
import io.despina.packet.PacketArray;
import io.despina.packet.PacketLayout;
import io.despina.packet.PacketMap;
import io.despina.packet.Type;
import java.util.List;

/** Writes values of a type as a field. */
abstract class ProtoSink {
    private final ProtoField field;

    ProtoSink(ProtoField field) {
        this.field = field;
    }

    final ProtoField field() {
        return field;
    }

    /** Whether a field that does not say if it is there has this value where it is not. */
    boolean isZero(byte[] bytes, int from, int to) {
        return false;
    }

    /** Writes a value that is not NULL, without its tag: {@code bytes[from, to)}, as a packet has it. */
    abstract void value(byte[] bytes, int from, int to, ProtoOut out);

    /** Writes a value that is not NULL, with its tag. */
    void write(byte[] bytes, int from, int to, ProtoOut out) {
        if (field.presence() || !isZero(bytes, from, to)) {
            always(bytes, from, to, out);
        }
    }

    /** The same, even a zero. */
    final void always(byte[] bytes, int from, int to, ProtoOut out) {
        out.tag(field.number(), field.type().wire);
        value(bytes, from, to, out);
    }

    /** Writes an item of a list or a map. @param tagged else it stands behind the one before */
    final void item(PacketArray items, int k, boolean tagged, ProtoOut out) {
        if (items.isNull(k)) {
            throw new IllegalArgumentException("`" + field.name()
                    + "` has a NULL, which a message cannot hold in a list or a map");
        }
        boolean isVariable = items.element().width() == Type.VARIABLE;
        int from = isVariable ? items.valueStart(k) : items.fixedStart(k);
        int to = isVariable ? items.valueEnd() : 0;
        if (tagged) {
            always(items.bytes(), from, to, out);
        } else {
            value(items.bytes(), from, to, out);
        }
    }

    /** An array. */
    static final class OfItems extends ProtoSink {
        private final ProtoSink items;
        private final PacketArray view;

        OfItems(ProtoField field, Type.Array type, ProtoSink items) {
            super(field);
            this.items = items;
            view = new PacketArray(type.element(), type.containsNull());
        }

        @Override
        void write(byte[] bytes, int from, int to, ProtoOut out) {
            view.wrap(bytes, from, to);
            int count = view.count();
            if (field().packed() && count > 0) {
                out.tag(field().number(), ProtoWire.BYTES);
            }
            int begin = out.begin();
            for (int k = 0; k < count; k++) {
                items.item(view, k, !field().packed(), out);
            }
            if (field().packed() && count > 0) {
                out.end(begin);
            }
        }

        @Override
        void value(byte[] bytes, int from, int to, ProtoOut out) {
            throw new IllegalStateException("a list within a list");
        }
    }

    /** A map: an entry with key and value, again and again. */
    static final class OfEntries extends ProtoSink {
        private final ProtoSink keys;
        private final ProtoSink values;
        private final PacketMap view;

        OfEntries(ProtoField field, Type.MapOf type, ProtoSink keys, ProtoSink values) {
            super(field);
            this.keys = keys;
            this.values = values;
            view = new PacketMap(type);
        }

        @Override
        void write(byte[] bytes, int from, int to, ProtoOut out) {
            view.wrap(bytes, from, to);
            for (int k = 0; k < view.keys().count(); k++) {
                out.tag(field().number(), ProtoWire.BYTES);
                int begin = out.begin();
                keys.item(view.keys(), k, true, out);
                values.item(view.values(), k, true, out);
                out.end(begin);
            }
        }

        @Override
        void value(byte[] bytes, int from, int to, ProtoOut out) {
            throw new IllegalStateException("a map within a list");
        }
    }

    /** A struct. */
    static final class OfMessage extends ProtoSink {
        private final List<ProtoPart> parts;
        private final Packet view;

        OfMessage(ProtoField field, Type.Struct type, List<ProtoPart> parts) {
            super(field);
            this.parts = parts;
            view = new Packet(PacketLayout.of(type));
        }

        @Override
        void value(byte[] bytes, int from, int to, ProtoOut out) {
            int begin = out.begin();
            ProtoPart.write(parts, view.wrapBody(bytes, from, to), out);
            if (field().type() == ProtoType.GROUP) {
                out.tag(field().number(), ProtoWire.END_GROUP);
            } else {
                out.end(begin);
            }
        }
    }
}
