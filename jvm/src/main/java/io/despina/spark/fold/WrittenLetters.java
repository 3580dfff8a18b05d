package io.despina.spark.fold;

import io.despina.expr.PacketFold;
import io.despina.expr.catalyst.row.SparkTypes;
import io.despina.operator.DeadLetter;
import io.despina.packet.Bytes;
import io.despina.packet.Packet;
import io.despina.packet.PacketJson;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.plan.Planner;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * What Python says of an operator's bad records, as the packets of its port {@code errors}. It is sent to Spark's tasks.
 *
 * @param operator its id
 * @param columns  as Spark's JSON: the reason, a STRING; the record, a STRING, NULL where it is a row; and that row, a STRUCT
 */
public record WrittenLetters(String operator, String columns) implements PacketFold {
    private static final long serialVersionUID = 1L;
    private static final int REASON = 0;
    private static final int RECORD = 1;
    private static final int ROW = 2;

    @Override
    public List<Schema> inputs() {
        return List.of(SparkTypes.columns(columns));
    }

    @Override
    public List<Schema> outputs() {
        return List.of(Planner.ERRORS);
    }

    @Override
    public Results begin() {
        return new Writing(operator, SparkTypes.columns(columns));
    }

    /** Without the columns: Spark shows plans. */
    @Override
    public String toString() {
        return operator + ".errors";
    }

    /** One packet at a time, in one growing buffer. */
    private static final class Writing implements Results, PacketWriter.Regions {
        private static final int FIRST_BYTES = 1024;

        private final String operator;
        private final Schema columns;
        private final PacketWriter writer = new PacketWriter(Planner.ERRORS.layout(), this);
        private final Packet letter = new Packet(Planner.ERRORS.layout());
        private boolean unread;

        Writing(String operator, Schema columns) {
            this.operator = operator;
            this.columns = columns;
            writer.open(new byte[FIRST_BYTES], 0, FIRST_BYTES);
        }

        @Override
        public void take(int port, Packet bad) {
            writer.open(writer.bytes(), 0, writer.bytes().length);
            DeadLetter.write(writer, text(bad, REASON), operator,
                    bad.isNull(RECORD) ? PacketJson.value(columns, bad, ROW) : text(bad, RECORD), Bytes.MAX_LENGTH);
            letter.wrap(writer.bytes(), 0, writer.position());
            unread = true;
        }

        private static String text(Packet packet, int column) {
            return new String(packet.copyOfValue(column), StandardCharsets.UTF_8);
        }

        @Override
        public void end() {
            // each packet is done with at once
        }

        @Override
        public boolean next() {
            boolean found = unread;
            unread = false;
            return found;
        }

        @Override
        public int operator() {
            return 0;
        }

        @Override
        public Packet packet() {
            return letter;
        }

        @Override
        public void makeRoom(PacketWriter of, int needed) {
            byte[] larger = new byte[Math.max(needed, 2 * of.bytes().length)];
            of.move(larger, 0, larger.length);
        }
    }
}
