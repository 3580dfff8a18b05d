package io.despina.operator.stateless;

import io.despina.expr.PlainSplit;
import io.despina.expr.Projection;
import io.despina.packet.Bytes;
import io.despina.packet.EightBytes;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.state.ScratchPacket;
import java.nio.charset.StandardCharsets;

/** The parts of a text, cut one by one without making an array. */
final class TextParts implements Elements {
    private static final int DONE = -1;

    private final Projection text;
    private final byte delimiter;
    /** The delimiter in each of eight bytes. */
    private final long delimiters;
    private final ScratchPacket scratch = new ScratchPacket(PlainSplit.TEXT.layout());

    private byte[] bytes;
    /** Where the next part begins; {@link #DONE} after the last. */
    private int from = DONE;
    private int end;

    TextParts(PlainSplit split) {
        text = split.text();
        delimiter = split.delimiter();
        delimiters = EightBytes.of(delimiter);
    }

    @Override
    public void begin(Packet[] inputs) {
        text.apply(inputs, scratch.begin());
        Packet evaluated = scratch.commit();
        if (!evaluated.isNull(0)) {
            bytes = evaluated.bytes();
            from = evaluated.valueStart(0);
            end = evaluated.valueEnd();
        }
    }

    @Override
    public boolean hasNext() {
        return from != DONE;
    }

    @Override
    public void next(PacketWriter out, int column) {
        byte[] of = bytes;
        int at = from;
        long high = 0;
        for (; at + Long.BYTES <= end; at += Long.BYTES) {
            long eight = Bytes.getLong(of, at);
            long found = EightBytes.matches(eight, delimiters);
            if (found != 0) {
                high |= eight & (found ^ found - 1);
                at += Long.numberOfTrailingZeros(found) / Byte.SIZE;
                put(out, column, at, high);
                from = at + 1;
                return;
            }
            high |= eight;
        }
        while (at < end && of[at] != delimiter) {
            high |= of[at++];
        }
        put(out, column, at, high);
        from = at < end ? at + 1 : DONE;
    }

    /** @param high has a high bit set if any of the part's bytes has it */
    private void put(PacketWriter out, int column, int to, long high) {
        if ((high & EightBytes.HIGH_BITS) == 0) {
            out.setBytes(column, bytes, from, to - from);
        } else {
            byte[] replaced = new String(bytes, from, to - from, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8);
            out.setBytes(column, replaced, 0, replaced.length);
        }
    }
}
