package io.despina.spark.fold;

import io.despina.catalogue.UserCode;
import io.despina.control.assembly.JobPlan;
import io.despina.control.assembly.OperatorFactory;
import io.despina.operator.Answered;
import io.despina.operator.Operator;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.Schema;
import io.despina.plan.PlannedOperator;
import io.despina.state.Frozen;
import io.despina.state.SectionWriter;
import io.despina.state.Share;
import io.despina.state.State;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.function.Supplier;

/**
 * Runs one operator of a graph in steps, group by group: a step goes on from the bytes that the group's last one left, takes
 * packets and a watermark, and leaves bytes again. In between the operator does not exist.
 *
 * <pre>
 * bytes   = moments · section*
 * moments = number (4) · each in milliseconds (8)        when the group has something to do; see {@link Moments}
 * section = length (4) · a state's section, as in a snapshot
 * </pre>
 */
public final class ResumedFold {
    /** No moment. */
    public static final long NONE = Moments.NONE;
    private static final int SECTION_BYTES = 1 << 10;
    private static final long MICROS_PER_MS = 1_000;

    private final PlannedOperator spec;
    /** The output whose rows are given. */
    private final int port;
    private final Supplier<? extends Operator> operators;
    private final Share share;
    private final Moments moments;
    private byte[] left;
    private long earlier = NONE;

    /** What a group takes in a step. */
    public interface Arriving {

        /** Moves to the next packet; false if there is none. */
        boolean next();

        int port();

        /** Valid until {@link #next}. */
        Packet packet();
    }

    /** Of an operator whose inputs all have event time, and which is not run, or calls no code of a user's. */
    public ResumedFold(OperatorText text) {
        this(text, UserCode.NONE);
    }

    /**
     * @param text of an operator whose inputs all have event time
     * @param user runs the code that it calls
     */
    public ResumedFold(OperatorText text, UserCode user) {
        JobPlan planned = text.planned();
        spec = planned.plan().operator(OperatorText.id(text.operator()));
        port = OperatorText.port(spec, text.operator());
        operators = new OperatorFactory(planned.plan(), null, user).supplier(spec);
        share = new Share(0, 1, planned.plan().settings().buckets());
        moments = new Moments(spec);
    }

    /** The schemas of the inputs. */
    public List<Schema> inputs() {
        return spec.inputs().stream().map(each -> each.schema()).toList();
    }

    public Schema result() {
        return spec.outputs().get(port).schema();
    }

    /**
     * A step of one group. It must be read to its end before {@link #left} and the next step.
     *
     * @param from      what the group's last step left; null at its first
     * @param watermark in milliseconds: no packet of that time, or an earlier one, follows
     * @return packets, each valid until the next is requested
     */
    public Iterator<Packet> step(byte[] from, Arriving packets, long watermark) {
        SteppedOperator operator = new SteppedOperator(spec, operators.get(), from != null, port);
        moments.clear();
        try {
            if (from != null) {
                restore(operator, from);
            }
        } catch (IOException e) {
            throw told(e);
        }
        earlier = moments.next();
        return new Step(operator, packets, watermark);
    }

    /** What the step leaves for the group's next one; null if it need not come from anywhere. */
    public byte[] left() {
        return left;
    }

    /** The moment at which the group was to be visited before this step; {@link #NONE} if not at all. */
    public long earlierVisit() {
        return earlier;
    }

    /** The watermark, in milliseconds, at which the group must make a step though no packet comes; {@link #NONE} for never. */
    public long nextVisit() {
        return moments.next();
    }

    /** Without its cause: a driver that was started without our jar could not read an exception of ours. */
    private UncheckedIOException told(IOException e) {
        String words = "operator " + spec.id() + ": " + e.getMessage();
        return new UncheckedIOException(words, new IOException(words));
    }

    private void restore(SteppedOperator operator, byte[] from) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(from));
        moments.read(in);
        Map<String, byte[]> sections = new HashMap<>();
        for (State state : operator.states()) {
            sections.put(state.name(), in.readNBytes(in.readInt()));
        }
        share.restore(operator.states(), List.of((name, piece) -> new ByteArrayInputStream(sections.get(name))));
        operator.restored();
    }

    private byte[] save(SteppedOperator operator) throws IOException {
        if (moments.forgets() && moments.next() == NONE) {
            return null;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        moments.write(out);
        for (State state : operator.states()) {
            byte[] section = section(state);
            out.writeInt(section.length);
            out.write(section);
        }
        return bytes.toByteArray();
    }

    private static byte[] section(State state) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        SectionWriter writer = new SectionWriter(SECTION_BYTES);
        writer.begin(state);
        try (Frozen frozen = state.freeze()) {
            while (!frozen.write(writer)) {
                bytes.write(writer.bytes(), 0, writer.size());
                writer.replace(writer.bytes());
            }
        }
        writer.end();
        bytes.write(writer.bytes(), 0, writer.size());
        return bytes.toByteArray();
    }

    /** All packets first, then the watermark, then the answers of who is not here. */
    private final class Step implements Iterator<Packet> {
        private final SteppedOperator operator;
        private final Arriving packets;
        private final long watermark;
        private final PacketCursor[] inputs;
        private int port;
        /** Whether the watermark has been passed on. */
        private boolean passed;
        private boolean settled;
        private boolean ended;

        Step(SteppedOperator operator, Arriving packets, long watermark) {
            this.operator = operator;
            this.packets = packets;
            this.watermark = watermark;
            inputs = spec.inputs().stream().map(each -> PacketCursor.reusing(each.schema().layout()))
                    .toArray(PacketCursor[]::new);
            for (PacketCursor input : inputs) {
                input.reset(new byte[0], 0, 0);
            }
        }

        @Override
        public boolean hasNext() {
            while (operator.results().isEmpty() && !settled) {
                if (passed) {
                    settled = operator.settle();
                } else if (!inputs[port].isEmpty()) {
                    operator.process(port, inputs[port]);
                } else if (packets.next()) {
                    take(packets.packet());
                } else {
                    passed = operator.watermark(watermark * MICROS_PER_MS + 1);
                }
            }
            if (operator.results().isEmpty() && !ended) {
                end();
                ended = true;
            }
            return !operator.results().isEmpty();
        }

        private void take(Packet packet) {
            port = packets.port();
            inputs[port].reset(packet.bytes(), packet.start(), packet.end());
            int time = moments.time(port);
            if (operator.answered() == null && !packet.isNull(time)) {
                moments.add(port, packet.getLong(time));
            }
        }

        private void end() {
            Answered later = operator.answered();
            if (later == null) {
                moments.passed(watermark);
            } else {
                moments.are(later.nextMoment());
            }
            try {
                left = later != null && later.isBlank() ? null : save(operator);
            } catch (IOException e) {
                throw told(e);
            }
            operator.close();
        }

        @Override
        public Packet next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return operator.results().next();
        }
    }
}
