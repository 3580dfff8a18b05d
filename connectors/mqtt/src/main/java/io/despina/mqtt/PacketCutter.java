package io.despina.mqtt;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.CorruptedFrameException;
import java.util.List;

/**
 * Cuts packets from a stream of bytes. Of one that is too long the beginning goes on, as if that were all, and the rest is never
 * kept: so the message is a bad record and is acknowledged, where a broken connection would have it come again for ever. The
 * decoder behind it gets whole packets alone: Netty 4.2.13's takes a header that comes in two reads for one that is too long.
 */
final class PacketCutter extends ByteToMessageDecoder {
    /** A byte of type and flags, and the length: at most four bytes of seven bits each, the lowest first. */
    private static final int MOST_LENGTH_BYTES = 4;
    private static final int BITS = 7;
    private static final int MORE = 0x80;

    private final int most;
    /** Of the packet that is too long, to be dropped. */
    private int rest;

    PacketCutter(int most) {
        this.most = most;
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        int dropped = Math.min(rest, in.readableBytes());
        in.skipBytes(dropped);
        rest -= dropped;
        int start = in.readerIndex();
        int length = 0;
        for (int k = 0; ; k++) {
            if (k == MOST_LENGTH_BYTES) {
                throw new CorruptedFrameException("a length of more than four bytes");
            }
            if (in.readableBytes() < 2 + k) {
                return;
            }
            int next = in.getUnsignedByte(start + 1 + k);
            length |= (next & MORE - 1) << BITS * k;
            if ((next & MORE) == 0) {
                int head = 2 + k;
                cut(context, in, out, head, length);
                return;
            }
        }
    }

    private void cut(ChannelHandlerContext context, ByteBuf in, List<Object> out, int head, int length) {
        if (length <= most) {
            if (in.readableBytes() >= head + length) {
                out.add(in.readRetainedSlice(head + length));
            }
            return;
        }
        if (in.readableBytes() < head + most) {
            return;
        }
        ByteBuf packet = context.alloc().buffer(1 + MOST_LENGTH_BYTES + most);
        packet.writeByte(in.readByte());
        in.skipBytes(head - 1);
        int left = most;
        while (left >= MORE) {
            packet.writeByte(left & MORE - 1 | MORE);
            left >>>= BITS;
        }
        packet.writeByte(left).writeBytes(in, most);
        rest = length - most;
        out.add(packet);
    }
}
