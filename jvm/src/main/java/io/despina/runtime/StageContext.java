package io.despina.runtime;

import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.link.PortOutput;
import io.despina.packet.Packet;
import io.despina.packet.PacketJson;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.nio.charset.StandardCharsets;
import java.util.function.LongSupplier;

/** An operator instance's view of its task. */
final class StageContext implements OperatorContext {
    private final StageSpec spec;
    private final PortOutput[] outputs;
    private final StageCounters counters;
    private final LongSupplier clock;

    StageContext(StageSpec spec, PortOutput[] outputs, StageCounters counters, LongSupplier clock) {
        this.spec = spec;
        this.outputs = outputs;
        this.counters = counters;
        this.clock = clock;
    }

    @Override
    public String operatorId() {
        return spec.operatorId();
    }

    @Override
    public int instance() {
        return spec.instance();
    }

    @Override
    public int parallelism() {
        return spec.parallelism();
    }

    @Override
    public Schema input(int port) {
        return spec.inputs().get(port);
    }

    @Override
    public Output output(int port) {
        return outputs[port];
    }

    @Override
    public LongSupplier clock() {
        return clock;
    }

    @Override
    public void countLate() {
        counters.late.add(1);
    }

    @Override
    public void badRecord(Exception why, Packet packet) throws Exception {
        if (spec.onError() == OnError.FAIL) {
            throw TaskFailedException.ofRecord(spec.operatorId(), spec.instance(), why);
        }
        counters.errors.add(1);
        if (spec.onError() == OnError.DEAD_LETTER) {
            deadLetter(reason(why), PacketJson.text(schemaOf(packet), packet));
        }
    }

    @Override
    public void badRecord(String why, String record) throws Exception {
        if (spec.onError() == OnError.FAIL) {
            throw TaskFailedException.ofRecord(spec.operatorId(), spec.instance(),
                    new IllegalArgumentException(why + ": " + record));
        }
        counters.errors.add(1);
        if (spec.onError() == OnError.DEAD_LETTER) {
            deadLetter(why, record);
        }
    }

    @Override
    public void stateBytes(long bytes) {
        counters.stateBytes.set(bytes);
    }

    private static String reason(Exception why) {
        return why.getMessage() == null ? why.getClass().getSimpleName() : why.getMessage();
    }

    private Schema schemaOf(Packet packet) {
        for (Schema schema : spec.inputs()) {
            if (schema.layout() == packet.layout()) {
                return schema;
            }
        }
        throw new IllegalArgumentException("the bad packet of " + spec.operatorId() + " is none of its inputs'");
    }

    private void deadLetter(String reason, String record) {
        PacketWriter writer = outputs[spec.errorsPort()].writer().begin();
        string(writer, 0, reason);
        string(writer, 1, spec.operatorId());
        string(writer, 2, record);
        writer.commit();
    }

    private static void string(PacketWriter writer, int column, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        writer.setBytes(column, utf8, 0, utf8.length);
    }
}
