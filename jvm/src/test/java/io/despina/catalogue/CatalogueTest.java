package io.despina.catalogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.despina.descriptor.OperatorType;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class CatalogueTest {
    private static final List<OperatorType> TYPES = Catalogue.types();

    @Test
    void everyTypeHasAWordOfItsOwnAndAPlanner() {
        List<String> words = TYPES.stream().map(OperatorType::word).toList();
        assertEquals(words.size(), new HashSet<>(words).size(), words.toString());
        TYPES.forEach(type -> assertNotNull(Catalogue.planner(type), type.word()));
    }

    @Test
    void deadLettersLeaveByTheLastPort() {
        TYPES.forEach(type -> assertEquals("errors", type.outputs().get(type.outputs().size() - 1), type.word()));
    }
}
