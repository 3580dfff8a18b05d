package io.despina.control.resource;

import io.despina.control.protocol.ControlMessage;
import io.despina.link.Attempt;
import io.despina.operator.control.GraphControl;
import io.despina.spec.ControlAnswer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** What operators here have told the operators of their job, until the coordinator knows the answers. Thread-safe. */
final class ToldByOperators implements GraphControl {
    private final Attempt attempt;
    private final ToCoordinator coordinator;
    private final AtomicLong last = new AtomicLong();
    private final Map<Long, CompletableFuture<List<ControlAnswer>>> waiting = new ConcurrentHashMap<>();

    ToldByOperators(Attempt attempt, ToCoordinator coordinator) {
        this.attempt = attempt;
        this.coordinator = coordinator;
    }

    @Override
    public CompletableFuture<List<ControlAnswer>> tell(String command, String operator, String argument) {
        CompletableFuture<List<ControlAnswer>> answers = new CompletableFuture<>();
        long number = last.incrementAndGet();
        waiting.put(number, answers);
        coordinator.tell(new ControlMessage.Instruct(attempt, number, command, operator, argument));
        return answers;
    }

    /** Another coordinator has the job, and nobody knows what became of what was told. */
    void lost() {
        List.copyOf(waiting.keySet()).forEach(number -> received(new ControlMessage.Instructed(attempt, number, List.of(),
                "the coordinator was lost before all had answered")));
    }

    void received(ControlMessage.Instructed answer) {
        CompletableFuture<List<ControlAnswer>> answers = waiting.remove(answer.number());
        if (answers != null && answer.refused() == null) {
            answers.complete(answer.answers());
        } else if (answers != null) {
            answers.completeExceptionally(new IllegalStateException(answer.refused()));
        }
    }
}
