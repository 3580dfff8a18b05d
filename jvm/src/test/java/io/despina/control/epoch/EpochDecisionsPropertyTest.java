package io.despina.control.epoch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.control.epoch.EpochProgress.Start;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Decisions in a world whose members answer late, refuse and fall silent, and whose disk fails now and then. */
class EpochDecisionsPropertyTest {
    private static final int MOST_STEPS = 20_000;

    @Property(tries = 500)
    void everyJobEndsAndNothingIsCommittedBeforeItIsKept(@ForAll long seed) {
        new World(new Random(seed)).run();
    }

    private record Event(long at, int order, Runnable happens) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            return at != other.at ? Long.compare(at, other.at) : Integer.compare(order, other.order);
        }
    }

    private static final class World {
        private final Random random;
        private final PriorityQueue<Event> events = new PriorityQueue<>();
        private final Set<String> members = new TreeSet<>();
        private final Set<Long> kept = new HashSet<>();
        private final List<Long> completed = new ArrayList<>();
        private final Map<Long, Set<String>> committed = new HashMap<>();
        private final long endsAt;
        private EpochProgress facts;
        private long now;
        private int order;
        private String outcome = "";

        World(Random random) {
            this.random = random;
            for (int k = random.nextInt(4); k >= 0; k--) {
                members.add("m" + k);
            }
            long from = random.nextBoolean() ? 5 : 0;
            boolean keepsState = random.nextInt(4) > 0;
            long replay = keepsState && random.nextBoolean() ? from : 0;
            kept.add(replay);
            now = random.nextInt(1_000);
            facts = EpochProgress.of(keepsState ? 1 + random.nextInt(2_000) : 0, members,
                    new Start(now, keepsState ? from : 0, replay), keepsState ? from + random.nextInt(3) : 0);
            endsAt = now + random.nextInt(200_000);
            boolean cut = random.nextInt(8) == 0;
            members.forEach(member -> in(endsAt - now + random.nextInt(3_000), () -> facts = facts.settled(member, cut)));
            if (random.nextInt(4) == 0 && members.size() > 1) {
                in(random.nextInt(200_000), () -> facts = facts.without("m0"));
            }
        }

        private void in(long millis, Runnable happens) {
            events.add(new Event(now + millis, order++, happens));
        }

        /** Mostly soon, now and then late, and sometimes, while the job runs, never. */
        private void answer(Runnable with) {
            int luck = random.nextInt(40);
            if (luck > 0 || now >= endsAt) {
                in(luck == 1 ? random.nextInt(30_000) : random.nextInt(200), with);
            }
        }

        void run() {
            long mostBegun = facts.last().begun();
            for (int step = 0; outcome.isEmpty(); step++) {
                assertTrue(step < MOST_STEPS, "it does not end");
                EpochStep next = EpochDecisions.next(facts, now);
                assertEquals(next, EpochDecisions.next(facts, now), "another answer to the same question");
                if (next instanceof EpochStep.Wait until) {
                    assertTrue(until.untilMillis() > now, "a wait that is over: " + until);
                    pass(until.untilMillis());
                } else {
                    take(next);
                }
                assertTrue(facts.last().begun() >= mostBegun);
                mostBegun = facts.last().begun();
            }
            assertTrue(facts.isSettled());
        }

        private void pass(long until) {
            assertTrue(until < Long.MAX_VALUE || !events.isEmpty(), "it waits for ever");
            if (events.isEmpty() || events.peek().at > until) {
                now = until;
                return;
            }
            Event next = events.remove();
            now = Math.max(now, next.at);
            next.happens.run();
        }

        private void take(EpochStep step) {
            if (step instanceof EpochStep.Begin begin) {
                begin(begin);
            } else if (step instanceof EpochStep.Write write) {
                write(write.epoch());
            } else if (step instanceof EpochStep.Drop drop) {
                assertEquals(facts.freezing().epoch(), drop.epoch());
                assertFalse(drop.why().isEmpty());
                facts = facts.dropped(drop.why());
            } else if (step instanceof EpochStep.Complete complete) {
                complete(complete.epoch());
            } else if (step instanceof EpochStep.Mark mark) {
                assertTrue(committed.get(mark.epoch()).containsAll(facts.members()));
                facts = facts.marking(mark.epoch());
                in(random.nextInt(500), () -> facts = facts.marked(mark.epoch()));
            } else if (step instanceof EpochStep.Warn warn) {
                assertFalse(facts.trouble().told().contains(warn.what()), "told twice");
                facts = facts.told(warn.what());
            } else {
                end(step);
            }
        }

        private void begin(EpochStep.Begin begin) {
            assertEquals(null, facts.freezing(), "two at once");
            assertTrue(begin.epoch() > facts.last().begun(), "a number is used again");
            assertFalse(kept.contains(begin.epoch()));
            long replay = facts.start().replay();
            assertTrue(replay == 0 || committed.getOrDefault(replay, Set.of()).containsAll(facts.members()),
                    "it begins before what was left is committed");
            facts = facts.begun(begin.epoch(), begin.isLast(), now);
            boolean refuses = random.nextInt(10) == 0;
            members.forEach(member -> answer(() -> facts = refuses && random.nextInt(members.size()) == 0
                    ? facts.refused(member, begin.epoch(), "no room") : facts.frozen(member, begin.epoch())));
        }

        private void write(long epoch) {
            assertTrue(facts.freezing().frozen().containsAll(facts.members()));
            facts = facts.writing(false);
            boolean fails = random.nextInt(10) == 0;
            in(random.nextInt(300), () -> {
                if (!fails) {
                    kept.add(epoch);
                }
                facts = fails ? facts.dropped("a manifest that cannot be written") : facts.complete(now);
            });
        }

        private void complete(long epoch) {
            assertTrue(kept.contains(epoch), "told to commit what is not kept");
            completed.forEach(before -> {
                assertTrue(before < epoch, "out of order");
                assertTrue(committed.get(before).containsAll(facts.members()), "before the one before is committed");
            });
            completed.add(epoch);
            committed.put(epoch, new TreeSet<>());
            facts = facts.toldComplete(epoch);
            members.forEach(member -> in(random.nextInt(20) == 0 ? random.nextInt(20_000) : random.nextInt(100), () -> {
                committed.get(epoch).add(member);
                facts = facts.committed(member, epoch);
            }));
        }

        private void end(EpochStep step) {
            outcome = step.getClass().getSimpleName();
            assertEquals(null, facts.freezing());
            if (step instanceof EpochStep.Conclude) {
                assertEquals(1, facts.commits().size());
                assertEquals(facts.ending().epoch(), facts.commits().get(0).epoch());
                assertTrue(committed.get(facts.ending().epoch()).containsAll(facts.members()));
                assertTrue(now >= endsAt);
            } else if (step instanceof EpochStep.Abandon) {
                assertTrue(facts.ending().cut() && facts.everyMillis() > 0);
            } else {
                assertTrue(step instanceof EpochStep.Fail, step.toString());
                assertNotEquals(0, facts.ending().dropped());
            }
        }
    }
}
