package io.despina.operator.order;

import io.despina.expr.Projection;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.state.KeyBuckets;
import io.despina.state.ScratchPacket;
import io.despina.state.SectionWriter;

/** Projects packets to their keys: an instance per task and input. */
public final class KeyReader {
    /** Null if all packets belong together: the scratch then holds their one key all the time. */
    private final Projection projection;
    private final ScratchPacket scratch;
    private final Packet[] inputs = new Packet[1];
    private final KeyBuckets buckets;
    private Packet key;

    public KeyReader(Keys keys, int instance) {
        scratch = new ScratchPacket(keys.schema().layout());
        buckets = keys.dealing();
        projection = keys.isNone() ? null : keys.projection().instance(instance);
        if (projection == null) {
            PacketWriter out = scratch.begin();
            out.setByte(0, (byte) 0);
            key = scratch.commit();
        }
    }

    /** The key of {@code packet}, until the next call. */
    public Packet of(Packet packet) {
        if (projection != null) {
            inputs[0] = packet;
            projection.apply(inputs, scratch.begin());
            key = scratch.commit();
        }
        return key;
    }

    /** The bucket of a packet's key, or {@link SectionWriter#NO_BUCKET} if all packets belong together, or it has no key. */
    public int bucket(Packet packet) {
        if (projection == null) {
            return SectionWriter.NO_BUCKET;
        }
        try {
            return buckets.of(of(packet));
        } catch (RuntimeException bad) {
            return SectionWriter.NO_BUCKET;
        }
    }

    /** {@code key} as an {@link io.despina.expr.Aggregation} expects it: null without groups. */
    public Packet forRow(Packet ofGroup) {
        return projection == null ? null : ofGroup;
    }

    /** Whether a column of the key read last is NULL, so that it equals nothing. */
    public boolean hasNull() {
        return hasNull(key);
    }

    /** The same of any key. */
    public static boolean hasNull(Packet key) {
        for (int k = 0; k < key.layout().columns(); k++) {
            if (key.isNull(k)) {
                return true;
            }
        }
        return false;
    }
}
