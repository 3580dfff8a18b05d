package io.despina.operator.join;

import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.state.ValueFormat;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;

/** The packets of one key in one window: those of either side. */
record WindowSides(PacketList left, PacketList right) {
    private static final int OBJECT_BYTES = 128;

    WindowSides() {
        this(new PacketList(), new PacketList());
    }

    /** How they are stored. */
    static final class SidesFormat implements ValueFormat<WindowSides> {
        private final String name;
        private final String schema;
        private final Packet left;
        private final Packet right;

        SidesFormat(String name, Schema left, Schema right) {
            this.name = name;
            schema = "packets of " + left.sql() + " and of " + right.sql();
            this.left = new Packet(left.layout());
            this.right = new Packet(right.layout());
        }

        @Override
        public String schema() {
            return schema;
        }

        @Override
        public void write(WindowSides value, DataOutput out) throws IOException {
            value.left.write(out, left);
            value.right.write(out, right);
        }

        @Override
        public WindowSides read(DataInput in) throws IOException {
            WindowSides value = new WindowSides();
            value.left.read(in, name, left);
            value.right.read(in, name, right);
            return value;
        }

        @Override
        public long bytes(WindowSides value) {
            return OBJECT_BYTES + value.left.bytes() + value.right.bytes();
        }
    }
}
