package io.despina.expr.catalyst.row;

import io.despina.packet.Packet;
import io.despina.packet.PacketArray;

/** Reads values of one type as Spark holds them, boxed; null if they are null. Views of nested values read their parts by it. */
interface ValueReader {

    Object read(Packet packet, int column);

    Object read(PacketArray array, int k);
}
