package io.despina.operator.stateless;

import io.despina.expr.Compiled;
import io.despina.expr.PlainSplit;
import io.despina.expr.Projection;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.packet.MalformedPacketException;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import java.util.List;

/**
 * One packet per element of an array: columns of the packet, then the element. No packet for NULL or an empty array, as Spark's
 * {@code explode}. If the output is full it yields in the middle of an array.
 */
public final class Explode implements Operator {
    /** Stands for an unread column of the input; it is NULL in the output. */
    public static final int UNREAD = -1;

    /**
     * What to explode.
     *
     * @param of    computes the array, as the one column of {@code array}
     * @param array schema of that column
     * @param kept  ordinals of the input's columns that come before the element, in the output's order, or {@link #UNREAD}
     */
    public record Options(Compiled<Projection> of, Schema array, List<Integer> kept) {
        public Options {
            kept = List.copyOf(kept);
        }
    }

    private final Options options;
    private final int[] kept;
    private final Packet[] inputs = new Packet[1];

    private OperatorContext context;
    private Elements elements;
    private Output out;

    public Explode(Options options) {
        this.options = options;
        kept = options.kept.stream().mapToInt(Integer::intValue).toArray();
    }

    @Override
    public void open(OperatorContext context) {
        this.context = context;
        Projection array = options.of.instance(context.instance());
        elements = array instanceof PlainSplit split ? new TextParts(split) : new ArrayElements(array, options.array);
        out = context.output(0);
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        if (!out.hasRoom()) {
            return;
        }
        Packet packet;
        while ((packet = packets.next()) != null) {
            if (!elements.hasNext()) {
                begin(packet);
            }
            if (!explode(packet)) {
                packets.unread();
                return;
            }
            if (!out.hasRoom()) {
                return;
            }
        }
    }

    private void begin(Packet packet) throws Exception {
        inputs[0] = packet;
        try {
            elements.begin(inputs);
        } catch (MalformedPacketException broken) {
            throw broken;
        } catch (RuntimeException why) {
            context.badRecord(why, packet);
        }
    }

    /** @return false if elements are left and the output is full */
    private boolean explode(Packet packet) {
        PacketWriter writer = out.writer();
        while (elements.hasNext()) {
            writer.begin();
            for (int k = 0; k < kept.length; k++) {
                if (kept[k] == UNREAD) {
                    writer.setNull(k);
                } else {
                    writer.setColumn(k, packet, kept[k]);
                }
            }
            elements.next(writer, kept.length);
            writer.commit();
            if (writer.beganRegion() && !out.hasRoom()) {
                return !elements.hasNext();
            }
        }
        return true;
    }
}
