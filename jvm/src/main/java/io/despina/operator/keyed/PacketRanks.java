package io.despina.operator.keyed;

import io.despina.expr.Compiled;
import io.despina.expr.Projection;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.SortKey;
import io.despina.state.ScratchPacket;
import java.util.List;

/**
 * By what packets are ranked: expressions, and after them the columns that break ties.
 *
 * @param schema     of a rank: a column for each expression, then those that break ties
 * @param projection a packet to its rank, without the columns that break ties
 * @param ties       their ordinals in the packet
 * @param order      of ranks; all columns of {@code schema}
 */
public record PacketRanks(Schema schema, Compiled<Projection> projection, List<Integer> ties, List<SortKey> order) {

    public PacketRanks {
        ties = List.copyOf(ties);
        order = List.copyOf(order);
    }

    /** What a snapshot says of them: another order is another state. */
    String text() {
        return schema.sql() + " " + order.stream().map(key -> (key.descending() ? "d" : "a") + (key.nullsLast() ? "l" : "f"))
                .toList();
    }

    /** PacketRanks packets: one per task. */
    static final class Reader {
        private final Projection projection;
        private final int[] ties;
        private final int first;
        private final ScratchPacket scratch;
        private final Packet[] inputs = new Packet[1];

        Reader(PacketRanks ranks, int instance, int maxPacketBytes) {
            projection = ranks.projection().instance(instance);
            ties = ranks.ties().stream().mapToInt(Integer::intValue).toArray();
            first = ranks.schema().size() - ties.length;
            scratch = new ScratchPacket(ranks.schema().layout(), maxPacketBytes);
        }

        /** The rank of {@code packet}, until the next call. */
        Packet of(Packet packet) {
            write(packet, scratch.begin());
            return scratch.commit();
        }

        /** Sets the first columns of a packet to the rank of {@code packet}. */
        void write(Packet packet, PacketWriter out) {
            inputs[0] = packet;
            projection.apply(inputs, out);
            for (int k = 0; k < ties.length; k++) {
                out.setColumn(first + k, packet, ties[k]);
            }
        }
    }
}
