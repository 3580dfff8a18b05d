package io.despina.socket;

import io.despina.inflow.Inflow;
import io.despina.inflow.Peer;
import io.despina.inflow.Received;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.timeout.IdleStateEvent;
import java.util.Arrays;

/** Cuts what one peer sends into whole records. Stops reading while the source has no room. */
final class RecordHandler extends ChannelInboundHandlerAdapter {
    private static final byte[] NOTHING = {};
    /** Bytes of a broken record that its message shows. */
    private static final int SHOWN = 1_000;

    private final Inflow<Received> inflow;
    private final Framing framing;
    private final int most;
    private final Peer peer;
    private final Pause pause;
    /** The bytes from the end of the last whole record on. */
    private byte[] held = NOTHING;
    private int length;
    /** How many bytes the inflow counts for it. */
    private int counted;
    /** The line is too long: the rest of it is passed over. */
    private boolean skipping;
    private boolean broken;

    /** @param most bytes of a record */
    RecordHandler(Inflow<Received> inflow, Framing framing, int most, Peer peer) {
        this.inflow = inflow;
        this.framing = framing;
        this.most = most;
        this.peer = peer;
        pause = new Pause(inflow);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf in = (ByteBuf) message;
        try {
            if (!broken && !inflow.isStopped() && hasUse(in)) {
                take(context, in);
            }
        } finally {
            in.release();
        }
    }

    /** Passes over the rest of a line that is too long. */
    private boolean hasUse(ByteBuf in) {
        if (skipping) {
            int end = in.indexOf(in.readerIndex(), in.writerIndex(), (byte) '\n');
            if (end < 0) {
                return false;
            }
            in.readerIndex(end + 1);
            skipping = false;
        }
        return in.isReadable();
    }

    private void take(ChannelHandlerContext context, ByteBuf in) {
        int more = in.readableBytes();
        if (length + more > held.length) {
            held = Arrays.copyOf(held, length == 0 ? more : Math.max(2 * length, length + more));
        }
        in.readBytes(held, length, more);
        int from = length;
        length += more;
        int end = framing.wholeEnd(held, from, length, most);
        if (end > 0) {
            byte[] rest = end == length ? NOTHING : Arrays.copyOfRange(held, end, length);
            inflow.put(Received.records(peer, held, end));
            held = rest;
            length = rest.length;
            end = framing.wholeEnd(held, length, length, most);
        }
        if (end == Framing.TOO_LONG) {
            breakOff(context, "a record is longer than max_record_bytes=" + most);
            return;
        }
        if (framing == Framing.LINES && length > most) {
            complain("the line is longer than max_record_bytes=" + most);
            skipping = true;
        }
        if (!inflow.tryHold(held.length - counted)) {
            breakOff(context, "there is no memory for its record: what clients have sent of unfinished records reaches"
                    + " buffer_bytes");
            return;
        }
        counted = held.length;
    }

    /** Hands what is held to the source as a broken record. */
    private void complain(String problem) {
        int shown = Math.min(SHOWN, length);
        inflow.put(Received.broken(peer, Arrays.copyOf(held, shown), shown, problem));
        held = NOTHING;
        length = 0;
    }

    private void breakOff(ChannelHandlerContext context, String problem) {
        broken = true;
        complain(problem);
        context.close();
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        pause.ifFull(context);
        context.fireChannelReadComplete();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (length > 0 && !broken && !inflow.isStopped()) {
            if (framing == Framing.LINES) {
                inflow.put(Received.records(peer, held, length));
            } else {
                complain("the connection ended within a record");
            }
        }
        broken = true;
        held = NOTHING;
        length = 0;
        inflow.letGo(counted);
        counted = 0;
        context.fireChannelInactive();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof IdleStateEvent && !pause.isPaused()) {
            end(context, "the client was silent for idle_timeout_ms within a record");
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        System.getLogger(RecordHandler.class.getName()).log(System.Logger.Level.DEBUG, peer.name(), cause);
        end(context, "the connection was cut within a record");
    }

    private void end(ChannelHandlerContext context, String within) {
        if (length > 0 && !broken && !inflow.isStopped()) {
            breakOff(context, within);
        } else {
            context.close();
        }
    }
}
