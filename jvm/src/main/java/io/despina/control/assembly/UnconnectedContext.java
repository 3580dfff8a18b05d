package io.despina.control.assembly;

import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.plan.PlannedOperator;
import java.util.function.LongSupplier;

/** For an operator that is opened to be asked what it keeps, and gets no packet. */
record UnconnectedContext(PlannedOperator operator) implements OperatorContext {

    @Override
    public String operatorId() {
        return operator.id();
    }

    @Override
    public int instance() {
        return 0;
    }

    @Override
    public int parallelism() {
        return operator.parallelism();
    }

    @Override
    public Schema input(int port) {
        return operator.inputs().get(port).schema();
    }

    @Override
    public Output output(int port) {
        PacketWriter writer = new PacketWriter(operator.outputs().get(port).schema().layout(), null);
        return new Output() {
            @Override
            public PacketWriter writer() {
                return writer;
            }

            @Override
            public boolean hasRoom() {
                return false;
            }

            @Override
            public void due(long nanos) {
                throw silent();
            }

            @Override
            public void watermark(long micros, boolean exact) {
                throw silent();
            }

            @Override
            public void idle() {
                throw silent();
            }
        };
    }

    private static IllegalStateException silent() {
        return new IllegalStateException("nothing leaves an operator that is only asked what it keeps");
    }

    @Override
    public LongSupplier clock() {
        return () -> 0;
    }

    @Override
    public void wakeAt(long micros) {
        // it is closed before that
    }

    @Override
    public void countLate() {
        throw silent();
    }

    @Override
    public void badRecord(Exception why, Packet packet) {
        throw silent();
    }

    @Override
    public void badRecord(String why, String record) {
        throw silent();
    }

    @Override
    public void stateBytes(long bytes) {
        // it keeps nothing yet
    }
}
