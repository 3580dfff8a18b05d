package io.despina.control.resource;

import io.despina.buffer.Budget;
import io.despina.control.assembly.JobOptions;
import io.despina.control.assembly.JobPlan;
import io.despina.control.assembly.Ranks;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.link.Attempt;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * A job of some packets that a resource gives itself while it waits for its first one, which then finds most of what it needs
 * loaded: the planner, tasks, channels, compiled expressions. It reaches nothing outside of the resource.
 */
final class Practice implements ToCoordinator {
    private static final Attempt ATTEMPT = Attempt.first("~practice");
    private static final String GRAPH = """
            {"format": 1, "name": "practice", "operators": {
              "made": {"type": "generator_source", "count": 2000, "rows": {"type": "select", "select": ["id AS n"]}},
              "kept": {"type": "filter", "where": "n % 2 = 0"},
              "changed": {"type": "project", "select": ["n", "n + 1 AS m"]},
              "none": {"type": "discard_sink"}},
             "links": [{"from": "made", "to": "kept"}, {"from": "kept", "to": "changed", "fuse": false},
              {"from": "changed", "to": "none"}]}
            """;

    private final JobAgent job;
    private final long memoryBytes;
    private final Executor handlers;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private volatile boolean over;

    /**
     * @param host     whose name is that of the one resource of a job without a deployment
     * @param handlers run what a coordinator would answer
     */
    Practice(JobAgent.Host host, long memoryBytes, Executor handlers) {
        job = new JobAgent(ATTEMPT, host, this);
        this.memoryBytes = memoryBytes;
        this.handlers = handlers;
    }

    /** @return completes when nothing of it is left; exceptionally if it could not run, which a job in earnest then tells */
    CompletableFuture<Void> run() {
        try {
            JobOptions options = JobOptions.parse("{}", () -> 0);
            JobPlan planned = JobPlan.of(GRAPH, "practice", options).value();
            if (over) {
                ended.complete(null);
            } else {
                job.handle(new Message.Deploy(ATTEMPT, GRAPH, "practice", Map.of(), null, options.directory(), List.of(),
                        Map.of(), List.of(), Map.of(), planned.digest(), Budget.usualPacket(memoryBytes, Ranks.most(planned)),
                        planned.answers(), options.instantMicros(), null, null, null, null, null));
            }
        } catch (Refusal | RuntimeException | LinkageError unusable) {
            ended.completeExceptionally(unusable);
        }
        return ended;
    }

    /** Ends it: there is work in earnest. */
    void end() {
        over = true;
        job.forget();
    }

    @Override
    public void tell(Message message) {
        if (message instanceof Message.Ready) {
            next(new Message.Start(ATTEMPT));
        } else if (message instanceof Message.Settled) {
            next(new Message.Conclude(ATTEMPT, true));
        } else if (message instanceof Message.Failed failed) {
            ended.completeExceptionally(new Refusal(failed.rule(), failed.message(), failed.hint()));
        } else if (message instanceof Message.Finished) {
            ended.complete(null);
        }
    }

    private void next(Message message) {
        handlers.execute(() -> job.handle(message));
    }
}
