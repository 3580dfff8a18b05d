package io.despina.operator.stateless;

import io.despina.expr.Compiled;
import io.despina.expr.Projection;
import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.packet.Bytes;
import io.despina.packet.MalformedPacketException;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.util.List;

/**
 * One packet per element of an array: columns of the packet, then the element. No packet for NULL or an empty array, as
 * Spark's {@code explode}. It yields in the middle of an array where the output is full.
 */
public final class Explode implements Operator {

    /**
     * What to explode.
     *
     * @param of    gives the array, as the one column of {@code array}
     * @param array schema of that column
     * @param kept  ordinals of the input's columns that come before the element, in the output's order
     */
    public record Options(Compiled<Projection> of, Schema array, List<Integer> kept) {
        public Options {
            kept = List.copyOf(kept);
        }
    }

    private static final int SCRATCH = 1024;

    private final Options options;
    private final int[] kept;
    private final Type.Array type;
    private final boolean variable;
    private final int width;
    private final Packet[] inputs = new Packet[1];
    /** The array being exploded, evaluated once, in a packet of its own. */
    private final PacketWriter scratch;
    private final Packet evaluated;

    private OperatorContext context;
    private Projection projection;
    private Output out;

    private byte[] bytes;
    private int count;
    /** The element to write next; {@code count} when the packet is done. */
    private int element;
    private int nulls;
    private int slots;
    private int from;
    private int end;

    public Explode(Options options) {
        this.options = options;
        kept = options.kept.stream().mapToInt(Integer::intValue).toArray();
        type = (Type.Array) options.array.column(0).type();
        variable = type.element().width() == Type.VARIABLE;
        width = variable ? Integer.BYTES : type.element().width();
        scratch = new PacketWriter(options.array.layout(), Explode::grow);
        scratch.open(new byte[SCRATCH], 0, SCRATCH);
        evaluated = new Packet(options.array.layout());
    }

    private static void grow(PacketWriter writer, int needed) {
        int size = Integer.highestOneBit(needed) << 1;
        writer.move(new byte[size], 0, size);
    }

    @Override
    public void open(OperatorContext context) {
        this.context = context;
        projection = options.of.instance(context.instance());
        out = context.output(0);
    }

    @Override
    public void process(int port, PacketCursor packets) throws Exception {
        if (!out.hasRoom()) {
            return;
        }
        Packet packet;
        while ((packet = packets.next()) != null) {
            if (element == count) {
                evaluate(packet);
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

    /** Makes {@code element .. count} stand for the packet's array. */
    private void evaluate(Packet packet) throws Exception {
        element = 0;
        count = 0;
        inputs[0] = packet;
        scratch.open(scratch.bytes(), 0, scratch.limit());
        try {
            projection.apply(inputs, scratch.begin());
        } catch (MalformedPacketException broken) {
            throw broken;
        } catch (RuntimeException why) {
            context.badRecord(why, packet);
            return;
        }
        scratch.commit();
        evaluated.wrap(scratch.bytes(), 0, scratch.position());
        if (!evaluated.isNull(0)) {
            find();
        }
    }

    private void find() {
        bytes = evaluated.bytes();
        int start = evaluated.valueStart(0);
        end = evaluated.valueEnd();
        int elements = end - start < Integer.BYTES ? -1 : Bytes.getInt(bytes, start);
        nulls = start + Integer.BYTES;
        slots = nulls + (type.containsNull() ? (elements + 7) / 8 : 0);
        if (elements < 0 || elements > end - slots || (long) elements * width > end - slots) {
            throw new MalformedPacketException("array of " + elements + " elements in " + (end - start) + " bytes");
        }
        from = slots + elements * width;
        count = elements;
    }

    /** @return false if elements are left and the output has no room */
    private boolean explode(Packet packet) {
        PacketWriter writer = out.writer();
        while (element < count) {
            writer.begin();
            for (int k = 0; k < kept.length; k++) {
                writer.setColumn(k, packet, kept[k]);
            }
            writeElement(writer, kept.length);
            writer.commit();
            element++;
            if (writer.beganRegion() && !out.hasRoom()) {
                return element == count;
            }
        }
        return true;
    }

    private void writeElement(PacketWriter writer, int column) {
        boolean isNull = type.containsNull() && (bytes[nulls + (element >> 3)] >> (element & 7) & 1) != 0;
        int slot = slots + element * width;
        if (!variable) {
            if (isNull) {
                writer.setNull(column);
            } else {
                writer.setFixed(column, bytes, slot);
            }
            return;
        }
        int to = evaluated.valueStart(0) + Bytes.getInt(bytes, slot);
        if (to < from || to > end) {
            throw new MalformedPacketException("array element " + element + " ends at " + to + " of " + end);
        }
        if (isNull) {
            writer.setNull(column);
        } else {
            writer.setBytes(column, bytes, from, to - from);
        }
        from = to;
    }
}
