package io.despina.control.assembly;

import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketLayout;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.util.List;

/** Rewrites packets to another order of columns, and not-null columns to nullable ones. */
final class AlignColumns implements Operator {
    private final PacketLayout to;
    private final int[] from;
    private Output output;

    /** @param columns for each column of {@code to} the ordinal of the packet's column */
    AlignColumns(Schema to, List<Integer> columns) {
        this.to = to.layout();
        from = columns.stream().mapToInt(Integer::intValue).toArray();
    }

    @Override
    public void open(OperatorContext context) {
        output = context.output(0);
    }

    @Override
    public void process(int port, PacketCursor packets) {
        PacketWriter writer = output.writer();
        while (output.hasRoom()) {
            Packet packet = packets.next();
            if (packet == null) {
                return;
            }
            writer.begin();
            for (int k = 0; k < from.length; k++) {
                copy(packet, from[k], writer, k);
            }
            writer.commit();
        }
    }

    private void copy(Packet packet, int column, PacketWriter writer, int target) {
        if (packet.isNull(column)) {
            writer.setNull(target);
        } else if (to.isVariable(target)) {
            int start = packet.valueStart(column);
            writer.setBytes(target, packet.bytes(), start, packet.valueEnd() - start);
        } else {
            Type type = to.type(target);
            switch (type.width()) {
                case Byte.BYTES -> writer.setByte(target, packet.getByte(column));
                case Short.BYTES -> writer.setShort(target, packet.getShort(column));
                case Integer.BYTES -> writer.setInt(target, packet.getInt(column));
                default -> writer.setLong(target, packet.getLong(column));
            }
        }
    }
}
