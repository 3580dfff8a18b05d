package io.despina.runtime.task;

import io.despina.buffer.Budget;
import io.despina.link.Attempt;
import io.despina.link.ChannelReceiver;
import io.despina.link.ChannelSpec;
import io.despina.link.PortOutput;
import io.despina.link.PortSettings;
import io.despina.metrics.LinkSnapshot;
import io.despina.packet.Schema;
import io.despina.runtime.deployment.PortSpec;
import io.despina.runtime.deployment.TaskSettings;
import io.despina.runtime.deployment.TaskSpec;
import io.despina.runtime.worker.Worker;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** One job's links in one resource: where its tasks get their channel ends. Both ends of a local channel come from here. */
public interface JobLinks extends AutoCloseable {

    /** Opens the links of one job after the other. */
    interface Factory {
        /**
         * @param failure told, from any thread, when a channel breaks
         * @throws io.despina.buffer.BudgetException if the channels' minima do not fit into the resource's memory
         */
        JobLinks open(Attempt attempt, List<TaskSpec> tasks, Consumer<String> failure);
    }

    /** The receiving end of a channel to a task at {@code home}; asked for when the job is deployed, before anyone sends. */
    ChannelReceiver receiver(ChannelSpec channel, TaskSettings settings, Worker home);

    /** An output port of a task at {@code home}; asked for when the job starts, when every resource has its receivers. */
    PortOutput output(PortSpec port, TaskSettings settings, Worker home);

    /** The resource's memory, which what its tasks keep is counted against. */
    Budget budget();

    /** A port that nothing is linked to: what is written is counted and dropped. */
    PortOutput unlinked(Schema schema, TaskSettings settings);

    /** For a link within a task. */
    PortSettings fused(int rank, TaskSettings settings);

    /** By the link's name: what the channels that begin here have counted. */
    Map<String, LinkSnapshot> counters();

    /** By the link's name: bytes of segments that wait at the sending ends here, now. Any thread may ask. */
    Map<String, Long> queuedBytes();

    /** @param done run once, from any thread, when everything that the tasks sent has arrived where it was sent to */
    void whenSent(Runnable done);

    /** Drops what is still to be sent. */
    void abandon();

    /** Called once, after every task has ended and closed its ends. */
    @Override
    void close();
}
