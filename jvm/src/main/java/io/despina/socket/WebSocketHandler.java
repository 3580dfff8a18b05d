package io.despina.socket;

import io.despina.inflow.Inflow;
import io.despina.inflow.Peer;
import io.despina.inflow.Received;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CorruptedWebSocketFrameException;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.timeout.IdleStateEvent;
import java.util.Arrays;

/** Takes a client's messages, each a record, behind the handler of the protocol. Stops reading while the source has no room. */
final class WebSocketHandler extends SimpleChannelInboundHandler<WebSocketFrame> {
    private static final byte[] NOTHING = {};

    private final Inflow<Received> inflow;
    private final int most;
    private final Peer peer;
    private final Pause pause;
    /** The parts of a message that is not complete. */
    private byte[] held = NOTHING;
    private boolean within;
    private boolean broken;

    /** @param most bytes of a message */
    WebSocketHandler(Inflow<Received> inflow, int most, Peer peer) {
        this.inflow = inflow;
        this.most = most;
        this.peer = peer;
        pause = new Pause(inflow);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, WebSocketFrame frame) {
        if (broken || inflow.isStopped() || within != frame instanceof ContinuationWebSocketFrame) {
            return;
        }
        ByteBuf in = frame.content();
        int before = held.length;
        int more = in.readableBytes();
        if (before + more > most) {
            breakOff(context, tooLong());
            return;
        }
        byte[] message = Arrays.copyOf(held, before + more);
        in.readBytes(message, before, more);
        within = !frame.isFinalFragment();
        if (!within) {
            forget();
            inflow.put(Received.records(peer, message, message.length));
        } else if (inflow.tryHold(more)) {
            held = message;
        } else {
            breakOff(context, "there is no memory for its message: what clients have sent of unfinished ones reaches "
                    + "buffer_bytes");
        }
    }

    private String tooLong() {
        return "the message is longer than max_record_bytes=" + most;
    }

    private void forget() {
        inflow.letGo(held.length);
        held = NOTHING;
    }

    private void breakOff(ChannelHandlerContext context, String problem) {
        if (!broken) {
            broken = true;
            inflow.put(Received.broken(peer, NOTHING, 0, problem));
            context.writeAndFlush(new CloseWebSocketFrame(WebSocketCloseStatus.MESSAGE_TOO_BIG))
                    .addListener(ChannelFutureListener.CLOSE);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        pause.ifFull(context);
        context.fireChannelReadComplete();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (within && !broken && !inflow.isStopped()) {
            inflow.put(Received.broken(peer, NOTHING, 0, "the connection ended within a message"));
        }
        broken = true;
        forget();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof IdleStateEvent && !pause.isPaused()) {
            context.close();
        }
    }

    /** What is no WebSocket, or a frame that is too long. */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        System.getLogger(WebSocketHandler.class.getName()).log(System.Logger.Level.DEBUG, peer.name(), cause);
        boolean tooLong = cause instanceof CorruptedWebSocketFrameException frame
                && frame.closeStatus().equals(WebSocketCloseStatus.MESSAGE_TOO_BIG);
        if (!broken && !inflow.isStopped() && (within || cause instanceof DecoderException)) {
            broken = true;
            inflow.put(Received.broken(peer, NOTHING, 0, tooLong ? tooLong() : "the connection broke: " + Transport.why(cause)));
        }
        context.close();
    }
}
