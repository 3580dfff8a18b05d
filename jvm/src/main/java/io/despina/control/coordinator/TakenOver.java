package io.despina.control.coordinator;

import io.despina.control.members.Member;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.Refusal;
import io.despina.link.Attempt;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * An attempt that goes on without a coordinator, and gets this one: what its members say of it. What the one before had decided
 * is in the state folder or has been told to members; what neither knows has not happened. Guarded by its {@link JobAttempt}.
 */
final class TakenOver {
    private final Attempt attempt;
    private final String planDigest;
    private final long from;
    private final Map<Member, Message.Adopted> members = new LinkedHashMap<>();

    /** @param from its last complete epoch, 0 for none */
    TakenOver(Attempt attempt, String planDigest, long from) {
        this.attempt = attempt;
        this.planDigest = planDigest;
        this.from = from;
    }

    /** What each of its members is asked. */
    Map<Member, Message.OfJob> question(Collection<? extends Member> all) {
        Map<Member, Message.OfJob> asked = new LinkedHashMap<>();
        all.forEach(member -> asked.put(member, new Message.Adopt(attempt, from)));
        return asked;
    }

    /**
     * A command goes to all members. Where some have had one of which others know nothing, it stays so: the mark of a
     * {@code sync} that comes by one channel alone would be taken for the next barrier.
     *
     * @return why it cannot be taken over, if the member runs something else, or was told something else; else null
     */
    Refusal answered(Member by, Message.Adopted answer) {
        boolean isTold = members.values().stream().allMatch(each -> each.told().command() == answer.told().command());
        members.put(by, answer);
        boolean isSame = answer.planDigest().equals(planDigest);
        return isSame && isTold ? null : new Refusal("attempt", "resource `" + by.name() + (isSame
                ? "` and others of " + attempt + " were not told the same commands before their coordinator was lost"
                : "` runs another plan of " + attempt + " than this coordinator has made"), null);
    }

    /** All have answered: their commands go on with the numbers that they have come to, and their schedules are known. */
    void goOn(Exchange exchange, ChangedSchedules schedules) {
        members.values().forEach(each -> schedules.known(each.schedules()));
        exchange.controls().goOnFrom(greatest(each -> each.told().command()));
        exchange.buckets().goOnFrom(greatest(each -> each.told().move()));
    }

    private long greatest(ToLongFunction<Message.Adopted> number) {
        return members.values().stream().mapToLong(number).max().orElse(0);
    }

    /**
     * An epoch whose manifest was not written is given up. All must know of it first: a barrier that some have sent waits for
     * those of the others.
     *
     * @return the last epoch that was begun
     */
    long giveUpEpoch() {
        long begun = Math.max(from, greatest(Message.Adopted::barrier));
        if (begun > from) {
            members.forEach((member, answer) -> {
                if (answer.barrier() < begun) {
                    member.send(new Message.Barrier(attempt, begun, 0));
                }
            });
            members.keySet().forEach(member -> member.send(new Message.Drop(attempt, begun)));
        }
        return begun;
    }

    /** How the job was told to stop, if it was. */
    Optional<String> stopMode() {
        return members.values().stream().map(Message.Adopted::stop).filter(Objects::nonNull).findFirst();
    }
}
