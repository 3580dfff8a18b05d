package io.despina.operator;

import io.despina.packet.Bytes;
import io.despina.packet.PacketWriter;

/** A bad record as a packet of port {@code errors}: the reason, the operator's id and the record. */
public final class DeadLetter {
    private DeadLetter() {
    }

    /**
     * Writes one. Texts that are too long for the packet are cut, the reason to half of it.
     *
     * @param mostBytes of the packet
     */
    public static void write(PacketWriter to, String reason, String operator, String record, int mostBytes) {
        PacketWriter writer = to.begin();
        int room = mostBytes - Bytes.MAX_VARINT - writer.layout().fixedBytes();
        room -= string(writer, 0, reason, room / 2);
        room -= string(writer, 1, operator, room);
        string(writer, 2, record, room);
        writer.commit();
    }

    /** @return how many bytes were written, no more than {@code most} */
    private static int string(PacketWriter writer, int column, String text, int most) {
        byte[] fitting = Reason.utf8(text, most);
        writer.setBytes(column, fitting, 0, fitting.length);
        return fitting.length;
    }
}
