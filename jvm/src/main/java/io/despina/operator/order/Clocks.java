package io.despina.operator.order;

import static io.despina.spec.Never.NEVER;

import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.state.ScratchPacket;
import java.util.List;

/**
 * The clocks that groups go by: each key's watermark is its own greatest event time less a delay.
 *
 * @param keys           of the clocks, a packet to its clock's key; they have common time themselves
 * @param columns        by column of a clock's key, its ordinal in the key of a group
 * @param maxDelayMicros how far a packet may be behind its key's greatest event time
 * @param idleMicros     after so long a silence a key's clock moves on; {@code NEVER} for never
 */
public record Clocks(Keys keys, List<Integer> columns, long maxDelayMicros, long idleMicros) {

    public Clocks {
        columns = List.copyOf(columns);
    }

    /** Clocks that only packets move. */
    public Clocks(Keys keys, List<Integer> columns, long maxDelayMicros) {
        this(keys, columns, maxDelayMicros, NEVER);
    }

    /** The key of the clock by which a group goes. @param into a scratch of the clocks' keys */
    public Packet of(Packet group, ScratchPacket into) {
        PacketWriter writer = into.begin();
        for (int k = 0; k < columns.size(); k++) {
            writer.setColumn(k, group, columns.get(k));
        }
        return into.commit();
    }

    /** The watermark of a key whose greatest event time is {@code greatest}. */
    public long watermark(long greatest) {
        long reached = greatest - maxDelayMicros;
        return reached <= greatest ? reached : Long.MIN_VALUE;
    }
}
