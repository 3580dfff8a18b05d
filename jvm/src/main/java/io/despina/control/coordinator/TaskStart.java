package io.despina.control.coordinator;

import io.despina.control.members.Member;
import io.despina.control.protocol.Message;
import io.despina.link.Attempt;
import java.util.Collection;
import java.util.Optional;

/** How the tasks of an attempt come to run under a coordinator: it starts them, or they run already and it takes them over. */
final class TaskStart {
    private TaskStart() {
    }

    /**
     * All members are ready. With the lock of the attempt.
     *
     * @return how they were told to stop before, if they were
     */
    static Optional<String> of(Attempt attempt, KeptEpochs kept, ChangedSchedules schedules, Exchange exchange,
            Collection<Member> members) {
        if (kept.taken() == null) {
            schedules.restore(attempt, kept.begin().changed().schedules(), members);
        } else {
            kept.taken().goOn(exchange, schedules);
        }
        members.forEach(member -> member.send(new Message.Start(attempt)));
        exchange.start(members);
        return kept.taken() == null ? Optional.empty() : kept.taken().stopMode();
    }
}
