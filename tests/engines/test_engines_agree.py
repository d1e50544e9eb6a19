"""vLLM and transformers, given the same cases, write the same tokens: prompts, images and their order really agree."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from cfe_local.config import ModelConfig
from cfe_local.engines.process import EngineProcess
from cfe_local.records import Case, ImagePart, Message, Response, Sampling, TextPart
from tests.engines.cases import case

pytestmark = pytest.mark.engine


def answers(folder: Path, engine: str, cases: list[Case], log: Path) -> dict[str, Response]:
    pytest.importorskip(engine)
    model = ModelConfig.model_validate(
        {
            "path": str(folder),
            "engine": engine,
            # Rounding in 16 bits turns near ties into different tokens.
            "engine_args": {"dtype": "float32", "max_model_len": 1024, "max_num_seqs": 4},
            "env": {"VLLM_CPU_KVCACHE_SPACE": "1"},
        }
    )
    with EngineProcess(model, log_path=log) as process:
        return {response.key.label: response for response in process.generate(cases)}


def pictures(folder: Path) -> list[ImagePart]:
    rng = np.random.default_rng(7)
    parts = []
    for number, size in enumerate([(64, 64), (120, 40), (50, 90)]):
        path = folder / f"{number}.png"
        Image.fromarray(rng.integers(0, 255, (size[1], size[0], 3)).astype(np.uint8)).save(path)
        parts.append(ImagePart(path=str(path), sha256=hashlib.sha256(path.read_bytes()).hexdigest()))
    return parts


# Not Qwen3.5: its recurrent layers run on a CPU in vLLM with 16 bits only, where near ties decide.
@pytest.mark.parametrize("family", ["tiny_internvl_folder"])
def test_both_engines_give_the_same_greedy_answers(family: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    folder: Path = request.getfixturevalue(family)
    images = pictures(tmp_path)
    orders = [(), (0,), (1,), (0, 1), (1, 0), (0, 1, 2), (2, 1, 0)]
    cases = []
    for row, order in enumerate(orders):
        parts = [part for i in order for part in (TextPart(text="Look at this: "), images[i])]
        message = Message(role="user", parts=(*parts, TextPart(text=" What is it?")))
        plain = case(row=row, sampling=Sampling(temperature=0.0, max_tokens=12))
        cases.append(plain.model_copy(update={"messages": (message,)}))
    ours = answers(folder, "transformers", cases, tmp_path / "transformers.log")
    theirs = answers(folder, "vllm", cases, tmp_path / "vllm.log")
    assert len(ours) == len(theirs) == len(orders)
    for key, response in ours.items():
        other = theirs[key]
        assert response.n_prompt_tokens == other.n_prompt_tokens, key
        assert response.text == other.text, key
        assert response.n_images == other.n_images
    texts = [ours[one.key.label].text for one in cases]
    assert texts[3] != texts[4]
    assert texts[5] != texts[6]
