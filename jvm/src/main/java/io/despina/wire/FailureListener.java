package io.despina.wire;

import io.despina.link.ChannelId;

/** Called once when a remote channel breaks before its end. Called on an IO thread: it must not block. */
@FunctionalInterface
public interface FailureListener {

    /** @param reason what was wrong, for the job's report */
    void failed(ChannelId channel, String reason);
}
