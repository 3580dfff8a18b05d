package io.despina.control.coordinator;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.members.Member;
import io.despina.control.protocol.Message;
import io.despina.control.resource.Schedules;
import io.despina.json.Json;
import io.despina.link.Attempt;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/**
 * The schedules of operators that a user has changed, by operator, as manifests keep them. That of a source that is held has what
 * it goes on with, if that is not what the graph says. Guarded by the lock of its {@link JobAttempt}.
 */
final class ChangedSchedules {
    private static final String GOES_ON_WITH = "of";

    private final Map<String, String> schedules = new TreeMap<>();

    /** Before the tasks run: they are as they were. */
    void restore(Attempt attempt, Map<String, String> before, Collection<Member> all) {
        before.forEach((operator, schedule) -> {
            schedules.put(operator, schedule);
            send(attempt, operator, all);
        });
    }

    /** Operators have these already. */
    void known(Map<String, String> told) {
        schedules.putAll(told);
    }

    void set(String operator, ObjectNode schedule) {
        ObjectNode now = isHeld(operator) ? held().set(GOES_ON_WITH, schedule) : schedule;
        schedules.put(operator, Json.text(now));
    }

    void hold(String operator) {
        if (!isHeld(operator)) {
            JsonNode before = now(operator);
            schedules.put(operator, Json.text(before == null ? held() : held().set(GOES_ON_WITH, before)));
        }
    }

    /** A source that is held is not held any more. */
    void go(String operator) {
        if (isHeld(operator)) {
            JsonNode then = now(operator).get(GOES_ON_WITH);
            if (then == null) {
                schedules.remove(operator);
            } else {
                schedules.put(operator, Json.text(then));
            }
        }
    }

    private static ObjectNode held() {
        return Json.object().put("type", Schedules.HELD);
    }

    private boolean isHeld(String operator) {
        JsonNode now = now(operator);
        return now != null && now.path("type").asText().equals(Schedules.HELD);
    }

    /** Null for the one that the graph says. */
    private JsonNode now(String operator) {
        try {
            String schedule = schedules.get(operator);
            return schedule == null ? null : Json.tree(schedule);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a manifest with a schedule that is no JSON", e);
        }
    }

    /** Tells the operator's schedule of now. */
    void send(Attempt attempt, String operator, Collection<Member> all) {
        Message.SetSchedule set = new Message.SetSchedule(attempt, operator, now(operator));
        all.forEach(member -> member.send(set));
    }

    /** A copy. */
    Map<String, String> now() {
        return Map.copyOf(schedules);
    }
}
