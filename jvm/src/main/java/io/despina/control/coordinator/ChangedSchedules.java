package io.despina.control.coordinator;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.despina.control.members.Member;
import io.despina.control.protocol.Message;
import io.despina.json.Json;
import io.despina.link.Attempt;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/** The schedules of sources that a user has changed, by operator. Guarded by the lock of its {@link JobAttempt}. */
final class ChangedSchedules {
    private final Map<String, String> schedules = new TreeMap<>();

    /** Before the tasks run: they are as they were. */
    void restore(Attempt attempt, Map<String, String> before, Collection<Member> all) {
        before.forEach((operator, schedule) -> {
            schedules.put(operator, schedule);
            try {
                Message.SetSchedule set = new Message.SetSchedule(attempt, operator, Json.tree(schedule));
                all.forEach(member -> member.send(set));
            } catch (JsonProcessingException e) {
                throw new IllegalStateException("a manifest with a schedule that is no JSON", e);
            }
        });
    }

    void set(String operator, String schedule) {
        schedules.put(operator, schedule);
    }

    /** A copy. */
    Map<String, String> now() {
        return Map.copyOf(schedules);
    }
}
