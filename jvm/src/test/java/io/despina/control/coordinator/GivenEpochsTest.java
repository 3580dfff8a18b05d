package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.control.epoch.Intake;
import io.despina.control.protocol.Message;
import io.despina.control.protocol.ProgramMessage;
import io.despina.control.protocol.Refusal;
import io.despina.control.protocol.StagedPart;
import io.despina.link.Attempt;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a program hears that its epoch counts, and what the job's epochs say of it. */
class GivenEpochsTest {
    private static final String QUERY = "query";

    private final FakeMember near = new FakeMember("near");
    private final FakeMember far = new FakeMember("far");
    private final StagedInput input = new StagedInput(Attempt.first("job"), "in", List.of("near", "far", "far"));
    private final GivenEpochs given = new GivenEpochs(List.of(input));
    private final List<String> order = new ArrayList<>();

    @BeforeEach
    void start() {
        input.start(List.of(near, far));
        given.keep(Map.of("in", Map.of("before", 4L)), Runnable::run);
    }

    private CompletableFuture<ProgramMessage.Decided> commit(String query, long epoch) {
        return given.ask(input, "run", new ProgramMessage.Decide(query, epoch, true, false, List.of(new StagedPart(0, 1, 10))));
    }

    private void drained() {
        given.drained();
        given.drained();
        given.drained();
    }

    private long told(FakeMember member, String what) {
        return member.told.stream().filter(each -> each instanceof Message.Fate fate && fate.what().equals(what)).count();
    }

    @Test
    void aCommitIsAnsweredWhenAnEpochHasAllOfIt() {
        CompletableFuture<ProgramMessage.Decided> answer = commit(QUERY, 0);
        assertEquals(Intake.WAITING, given.standing());
        assertEquals(0, told(near, Message.Fate.COMMIT));
        given.give();
        assertEquals(Intake.GIVING, given.standing());
        assertEquals(1, told(far, Message.Fate.COMMIT));
        drained();
        assertEquals(Intake.GIVEN, given.standing());
        given.begun(7);
        assertEquals(Intake.NONE, given.standing());
        assertFalse(answer.isDone());
        assertEquals(Map.of("in", Map.of("before", 4L, QUERY, 0L)), given.at(7));
        given.complete(7);
        assertFalse(answer.join().repeated());
    }

    @Test
    void anEpochThatWasBegunBeforeSaysNothingOfIt() {
        given.begun(6);
        CompletableFuture<ProgramMessage.Decided> answer = commit(QUERY, 0);
        given.give();
        drained();
        assertEquals(Map.of("in", Map.of("before", 4L)), given.at(6));
        given.complete(6);
        assertFalse(answer.isDone());
        given.begun(7);
        given.complete(7);
        assertTrue(answer.isDone());
    }

    @Test
    void whatADroppedEpochHadIsAnsweredWithTheNextThatIsComplete() {
        CompletableFuture<ProgramMessage.Decided> first = commit(QUERY, 0);
        given.give();
        drained();
        given.begun(7);
        CompletableFuture<ProgramMessage.Decided> second = commit(QUERY, 1);
        given.give();
        drained();
        given.begun(8);
        given.complete(8);
        assertTrue(first.isDone() && second.isDone());
    }

    @Test
    void aRepeatedEpochIsDroppedAndAnsweredLikeOthers() {
        CompletableFuture<ProgramMessage.Decided> answer = commit("before", 4);
        given.give();
        assertEquals(Intake.GIVEN, given.standing());
        assertEquals(1, told(near, Message.Fate.ABORT));
        given.begun(7);
        given.complete(7);
        assertTrue(answer.join().repeated());
    }

    @Test
    void oneThatIsBehindIsToldWhichIsTheLast() {
        CompletableFuture<ProgramMessage.Decided> answer = commit("before", 3);
        given.give();
        given.begun(7);
        given.complete(7);
        assertEquals(4, answer.join().last());
    }

    /** Whoever was answered does not say it again. */
    @Test
    void theEndIsKnownToAnAttemptThatBeginsBeforeItsSourcesHaveEnded() {
        CompletableFuture<ProgramMessage.Decided> answer = given.ask(input, "run", ProgramMessage.Decide.end("giver/0", 1));
        given.give();
        drained();
        given.begun(7);
        Map<String, Map<String, Long>> kept = given.at(7);
        given.complete(7);
        assertTrue(answer.isDone());
        StagedInput next = new StagedInput(Attempt.first("job").next(), "in", List.of("near"));
        new GivenEpochs(List.of(next)).keep(kept, Runnable::run);
        FakeMember host = new FakeMember("near");
        next.start(List.of(host));
        assertTrue(host.was(Message.Supply.class), host.told::toString);
    }

    @Test
    void aGapAfterTheStateIsRefusedAtOnce() {
        CompletableFuture<ProgramMessage.Decided> answer = commit("before", 6);
        given.give();
        Refusal why = (Refusal) assertThrows(CompletionException.class, answer::join).getCause();
        assertTrue(why.getMessage().contains("has had those up to 4"), why.getMessage());
        assertEquals(Intake.NONE, given.standing());
    }

    @Test
    void aProgramThatHasGoneGivesNothingMore() {
        CompletableFuture<ProgramMessage.Decided> answer = commit(QUERY, 0);
        given.forget("run");
        assertEquals(Intake.NONE, given.standing());
        given.give();
        assertEquals(0, told(near, Message.Fate.COMMIT));
        assertFalse(answer.isDone(), "nobody is there to hear it");
    }

    @Test
    void aProgramThatGoesWhileItsRowsAreTakenHasGivenThem() {
        commit(QUERY, 0);
        given.give();
        given.forget("run");
        assertEquals(Intake.GIVING, given.standing());
        drained();
        given.begun(7);
        assertEquals(0L, given.at(7).get("in").get(QUERY));
    }

    @Test
    void atTheEndOfAnAttemptNobodyIsLeftWithoutAnAnswer() {
        CompletableFuture<ProgramMessage.Decided> frozen = commit(QUERY, 0);
        given.give();
        drained();
        given.begun(7);
        CompletableFuture<ProgramMessage.Decided> taken = commit(QUERY, 1);
        given.give();
        CompletableFuture<ProgramMessage.Decided> waits = commit(QUERY, 2);
        given.close();
        CompletableFuture<ProgramMessage.Decided> late = commit(QUERY, 3);
        for (CompletableFuture<ProgramMessage.Decided> each : List.of(frozen, taken, waits, late)) {
            Refusal why = (Refusal) assertThrows(CompletionException.class, each::join).getCause();
            assertNotNull(why.hint());
        }
    }

    @Test
    void aStopWaitsForRowsThatASourceHasNotSent() {
        given.whenDrained(() -> order.add("at once"));
        commit(QUERY, 0);
        given.give();
        given.whenDrained(() -> order.add("then"));
        assertEquals(List.of("at once"), order);
        drained();
        assertEquals(List.of("at once", "then"), order);
    }

    @Test
    void aJobThatKeepsNoStateAnswersAtOnce() {
        GivenEpochs inMemory = new GivenEpochs(List.of(input));
        assertFalse(inMemory.ask(input, "run", new ProgramMessage.Decide(QUERY, 0, true, false, List.of())).join().repeated());
        assertTrue(inMemory.ask(input, "run", new ProgramMessage.Decide(QUERY, 0, true, false, List.of())).join().repeated());
        assertEquals(Intake.NONE, inMemory.standing());
    }
}
