package io.despina.operator.source;

import io.despina.expr.Compiled;
import io.despina.expr.Projection;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.experiment.RelayPackets;
import io.despina.operator.source.time.Watermarks;
import io.despina.packet.Bytes;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.state.ScratchPacket;

/** What a {@link Generator} writes: each row follows from its id. */
public sealed interface GeneratedRows {

    /** Relay packets. */
    record Packets(RelayPackets.Options options) implements GeneratedRows {
    }

    /**
     * Rows of a select list over {@link #INPUT}.
     *
     * @param result schema of the rows
     */
    record Select(Compiled<Projection> compiled, Schema result, long seed) implements GeneratedRows {
        /** The columns that the select list may name. */
        public static final Schema INPUT = Schema.of(new Column("id", Type.Simple.BIGINT, false),
                new Column("seed", Type.Simple.BIGINT, false));
    }

    /** Writes rows for one task. */
    interface RowFiller {

        /**
         * Writes rows {@code first}, {@code first + step} …
         *
         * @param dueMicros of all of them
         * @return how many were written: {@code count}, or fewer if the output became full
         */
        long write(long first, int step, long count, long dueMicros) throws Exception;

        /** About how many rows fill a segment. */
        int batch();
    }

    /** @param watermarks null without event time */
    static RowFiller rows(GeneratedRows what, OperatorContext context, Watermarks watermarks) {
        Output out = context.output(0);
        if (what instanceof Packets packets) {
            return packetRows(new RelayPackets(packets.options), packets.options, out, watermarks);
        }
        return new SelectRows((Select) what, context, watermarks);
    }

    private static RowFiller packetRows(RelayPackets packets, RelayPackets.Options options, Output out, Watermarks watermarks) {
        int batch = Math.max(1, Math.min(2048, (1 << 16) / options.packetBytes()));
        return new RowFiller() {
            @Override
            public long write(long first, int step, long count, long dueMicros) {
                if (watermarks != null) {
                    watermarks.before(dueMicros);
                }
                return packets.write(out, first, step, count, dueMicros);
            }

            @Override
            public int batch() {
                return batch;
            }
        };
    }

    /**
     * Applies the select list. With event time it writes to a scratch packet first, because a watermark must precede a late
     * packet.
     */
    final class SelectRows implements RowFiller {
        private static final int BATCH = 512;

        private final OperatorContext context;
        private final Output out;
        private final Projection projection;
        private final Watermarks watermarks;
        /** The row that the select list reads. All rows share the seed; each has its own id. */
        private final Packet id;
        private final ScratchPacket scratch;
        private final Packet[] inputs;

        SelectRows(Select select, OperatorContext context, Watermarks watermarks) {
            this.context = context;
            this.watermarks = watermarks;
            out = context.output(0);
            projection = select.compiled.instance(context.instance());
            scratch = new ScratchPacket(select.result.layout());
            ScratchPacket made = new ScratchPacket(Select.INPUT.layout());
            PacketWriter writer = made.begin();
            writer.setLong(0, 0);
            writer.setLong(1, select.seed);
            id = made.commit();
            inputs = new Packet[] {id};
        }

        @Override
        public long write(long first, int step, long count, long dueMicros) throws Exception {
            PacketWriter writer = out.writer();
            int at = id.fixedStart(0);
            for (long k = 0; k < count; k++) {
                Bytes.putLong(id.bytes(), at, first + k * step);
                PacketWriter into = watermarks == null ? writer.begin() : scratch.begin();
                try {
                    projection.apply(inputs, into);
                } catch (RuntimeException why) {
                    context.badRecord(why, Select.INPUT, id);
                    continue;
                }
                if (watermarks == null) {
                    writer.commit();
                } else {
                    Packet packet = scratch.commit();
                    watermarks.before(packet);
                    writer.copy(packet);
                    scratch.letGo();
                }
                if (writer.beganRegion() && !out.hasRoom()) {
                    return k + 1;
                }
            }
            return count;
        }

        @Override
        public int batch() {
            return BATCH;
        }
    }
}
