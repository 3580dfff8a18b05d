package io.despina.link;

import io.despina.spec.BufferSpec;

/**
 * One channel, from one sending task to one receiving task.
 *
 * @param id     unique in the job, the same at both ends; frames carry it
 * @param link   name of its link
 * @param remote whether its ends are in two resources
 * @param host   of the receiving resource's data port; null if local
 * @param port   the receiving resource's data port; 0 if local
 * @param buffer of its link: what its receiver must be able to take
 * @param rank   of its packets at the sending end, see {@link io.despina.buffer.Overdraft}; the receiving end of a remote
 *               channel has the next one
 */
public record ChannelSpec(int id, String link, boolean remote, String host, int port, BufferSpec buffer, int rank) {

    public static ChannelSpec local(int id, String link) {
        return new ChannelSpec(id, link, false, null, 0, BufferSpec.DEFAULT, 0);
    }

    public static ChannelSpec remote(int id, String link, String host, int port) {
        return new ChannelSpec(id, link, true, host, port, BufferSpec.DEFAULT, 0);
    }

    public ChannelSpec with(BufferSpec other) {
        return new ChannelSpec(id, link, remote, host, port, other, rank);
    }

    public ChannelSpec ranked(int other) {
        return new ChannelSpec(id, link, remote, host, port, buffer, other);
    }
}
