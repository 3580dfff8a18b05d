package io.despina.socket;

import io.despina.inflow.Inflow;
import io.netty.channel.ChannelHandlerContext;

/** Keeps a connection from being read while its source has no room. Of one IO thread. */
final class Pause {
    private final Inflow<?> inflow;
    private boolean paused;

    Pause(Inflow<?> inflow) {
        this.inflow = inflow;
    }

    boolean isPaused() {
        return paused;
    }

    void ifFull(ChannelHandlerContext context) {
        if (!paused && !inflow.hasRoom()) {
            paused = true;
            context.channel().config().setAutoRead(false);
            inflow.whenRoom(() -> Transport.execute(context.executor(), () -> {
                paused = false;
                context.channel().config().setAutoRead(!inflow.isStopped());
            }));
        }
    }
}
