package io.despina.control.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.placement.Deployment;
import java.util.List;
import org.junit.jupiter.api.Test;

class CastingTest {
    private static final List<Deployment.Resource> LOST = Deployment.load("""
            {"format": 1, "resources": {"a": {}, "b": {}, "c": {}}}
            """, "d").value().resources();

    @Test
    void aSpareTakesOnePartAndNoMore() {
        assertEquals(List.of("a", "b", "c"), without(0));
        assertEquals(List.of("b", "c"), without(1));
        assertEquals(List.of("c"), without(2));
        assertEquals(List.of(), without(4));
    }

    @Test
    void whoNoSpareFitsIsMoved() {
        List<Deployment.Resource> moved = Casting.withoutSpare(LOST, each -> each.name().equals("b") ? 1 : 0);
        assertEquals(List.of("a", "c"), moved.stream().map(Deployment.Resource::name).toList());
    }

    private static List<String> without(int spares) {
        return Casting.withoutSpare(LOST, each -> spares).stream().map(Deployment.Resource::name).toList();
    }
}
