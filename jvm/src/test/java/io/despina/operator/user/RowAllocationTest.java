package io.despina.operator.user;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.Rows;
import io.despina.operator.order.Keys;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** Between a packet and the user's class no object is made. */
class RowAllocationTest {
    private static final int ROWS = 10_000;
    private static final Schema IN = Schema.of(new Column("n", Simple.INT, true), new Column("s", Simple.STRING, true));
    private static final Schema STATE = Schema.of(new Column("count", Simple.BIGINT, false));
    private static final Schema COUNTED = Schema.of(new Column("all", Simple.TINYINT, false),
            new Column("c", Simple.BIGINT, true));

    /** Context and output in one: a region that is written over and over. */
    private static final class Memory implements OperatorContext, Output, PacketWriter.Regions {
        private final byte[] region = new byte[1 << 12];
        private final PacketWriter writer;

        Memory(Schema output) {
            writer = new PacketWriter(output.layout(), this);
            writer.open(region, 0, region.length);
        }

        @Override
        public void makeRoom(PacketWriter open, int needed) {
            open.move(region, 0, region.length);
        }

        @Override
        public PacketWriter writer() {
            return writer;
        }

        @Override
        public boolean hasRoom() {
            return true;
        }

        @Override
        public void due(long nanos) {
        }

        @Override
        public void watermark(long micros, boolean exact) {
        }

        @Override
        public void idle() {
        }

        @Override
        public String operatorId() {
            return "tested";
        }

        @Override
        public int instance() {
            return 0;
        }

        @Override
        public int parallelism() {
            return 1;
        }

        @Override
        public Schema input(int port) {
            return IN;
        }

        @Override
        public Output output(int port) {
            return this;
        }

        @Override
        public LongSupplier clock() {
            return () -> 0;
        }

        @Override
        public void countLate() {
        }

        @Override
        public void badRecord(Exception why, Packet packet) throws Exception {
            throw why;
        }

        @Override
        public void badRecord(String why, String record) {
            throw new IllegalStateException(why);
        }

        @Override
        public void stateBytes(long bytes) {
        }
    }

    private static long allocated(Class<?> of, Schema out) throws Exception {
        UserClass user = new UserClass(of.getName(), RowAllocationTest.class.getClassLoader());
        UserOperator operator = new UserOperator(new UserOperator.Options(user, Map.of(), out, Keys.none(), ddl -> STATE));
        operator.open(new Memory(out));
        byte[] packet = Rows.encode(IN, List.of(Rows.row(1, "text")));
        PacketCursor cursor = PacketCursor.reusing(IN.layout());
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = Thread.currentThread().getId();
        long before = 0;
        for (int k = 0; k < 2 * ROWS; k++) {
            if (k == ROWS) {
                before = threads.getThreadAllocatedBytes(thread);
            }
            cursor.reset(packet, 0, packet.length);
            operator.process(0, cursor);
        }
        return threads.getThreadAllocatedBytes(thread) - before;
    }

    @Test
    void aRowThatIsPassedOnAllocatesNothing() throws Exception {
        long bytes = allocated(PassingOn.class, IN);
        assertTrue(bytes < ROWS, bytes + " bytes for " + ROWS + " rows");
    }

    @Test
    void aStateThatIsReadAndWrittenAllocatesNothing() throws Exception {
        long bytes = allocated(CountingOnly.class, COUNTED);
        assertTrue(bytes < ROWS, bytes + " bytes for " + ROWS + " rows");
    }
}
