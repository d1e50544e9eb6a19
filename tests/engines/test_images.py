import contextlib
import hashlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from cfe_local.config.model import ImageConfig
from cfe_local.engines import images
from cfe_local.engines.images import BadImageError, PreparedImage, prepare_image
from cfe_local.records import ImagePart

DEFAULT = ImageConfig()


def part_of(path: Path) -> ImagePart:
    return ImagePart(path=str(path), sha256=hashlib.sha256(path.read_bytes()).hexdigest())


def prepared(tmp_path: Path, image: Image.Image, config: ImageConfig = DEFAULT, name: str = "a.png") -> PreparedImage:
    path = tmp_path / name
    image.save(path)
    return prepare_image(part_of(path), config)


def refusal(part: ImagePart) -> str:
    with pytest.raises(BadImageError) as caught:
        prepare_image(part, DEFAULT)
    assert part.path in str(caught.value)
    return caught.value.kind


@pytest.mark.parametrize(
    ("size", "config", "expected", "verbs"),
    [
        ((640, 480), ImageConfig(), (640, 480), []),
        # The kind of strip that ends an evaluation inside the encoder: one side under 32 px.
        ((418, 30), ImageConfig(), (446, 32), ["enlarged"]),
        ((1, 1), ImageConfig(), (32, 32), ["enlarged"]),
        ((4000, 20), ImageConfig(max_aspect=100), (4000, 40), ["padded"]),
        ((20, 4000), ImageConfig(max_aspect=100), (40, 4000), ["padded"]),
        ((1000, 2), ImageConfig(max_aspect=100), (3200, 32), ["padded", "enlarged"]),
        ((1000, 1000), ImageConfig(max_pixels=250_000), (500, 500), ["shrunk"]),
        ((1000, 100), ImageConfig(max_pixels=1_000), (320, 32), ["shrunk"]),
        ((3200, 32), ImageConfig(max_pixels=1_000), (3200, 32), []),
    ],
)
def test_sizes_are_brought_within_the_bounds_and_each_change_is_noted(
    tmp_path: Path, size: tuple[int, int], config: ImageConfig, expected: tuple[int, int], verbs: list[str]
) -> None:
    got = prepared(tmp_path, Image.new("RGB", size, "red"), config)
    assert got.image.size == expected
    assert [note.split(": ")[1].split()[0] for note in got.notes] == verbs


@pytest.mark.parametrize("size", [(3, 977), (977, 3), (31, 33), (5001, 7), (2, 3)])
def test_no_size_escapes_the_encoders_lower_bound(tmp_path: Path, size: tuple[int, int]) -> None:
    config = ImageConfig(min_side=28, max_aspect=50, max_pixels=40_000)
    image = prepared(tmp_path, Image.new("RGB", size), config).image
    assert min(image.size) >= 28
    assert max(image.size) <= 50 * min(image.size)


def test_padding_is_white_and_leaves_the_picture_in_the_middle(tmp_path: Path) -> None:
    image = prepared(tmp_path, Image.new("RGB", (4000, 20), "black"), ImageConfig(max_aspect=100)).image
    pixels = np.asarray(image)[:, 0, 0]
    assert (pixels[:10] == 255).all()
    assert (pixels[10:30] == 0).all()
    assert (pixels[30:] == 255).all()


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P"])
def test_transparency_becomes_white_and_not_black(tmp_path: Path, mode: str) -> None:
    clear = Image.new("RGBA", (40, 40), (0, 0, 0, 0))
    if mode == "P":
        image = Image.new("P", (40, 40), 0)
        image.info["transparency"] = 0
    else:
        image = clear.convert(mode)
    got = prepared(tmp_path, image)
    assert got.image.mode == "RGB"
    assert got.image.getpixel((5, 5)) == (255, 255, 255)
    assert "a.png: transparency laid on white" in got.notes


def test_an_opaque_alpha_channel_is_no_change_worth_a_note(tmp_path: Path) -> None:
    assert prepared(tmp_path, Image.new("RGBA", (40, 40), (1, 2, 3, 255))).notes == ()


def test_sixteen_bit_grey_is_scaled_and_not_clipped(tmp_path: Path) -> None:
    ramp = np.linspace(0, 65_535, 64 * 64).reshape(64, 64).astype(np.uint16)
    got = prepared(tmp_path, Image.fromarray(ramp))
    assert got.image.getpixel((32, 32)) == pytest.approx((129,) * 3, abs=2)
    assert "scaled from more than 8 bits" in got.notes[0]


def test_a_photo_stored_on_its_side_is_turned(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    path = tmp_path / "a.jpg"
    Image.new("RGB", (80, 40), "blue").save(path, exif=exif)
    got = prepare_image(part_of(path), DEFAULT)
    assert got.image.size == (40, 80)
    assert "EXIF" in got.notes[0]


def test_only_the_first_frame_of_an_animation_is_used(tmp_path: Path) -> None:
    path = tmp_path / "a.gif"
    frames = [Image.new("RGB", (40, 40), colour) for colour in ("red", "blue")]
    frames[0].save(path, save_all=True, append_images=frames[1:])
    got = prepare_image(part_of(path), DEFAULT)
    assert got.image.getpixel((3, 3))[0] > 200  # type: ignore[index]
    assert "first of 2 frames" in got.notes[0]


@pytest.mark.parametrize("name", ["a.png", "a.jpg", "a.webp", "a.gif", "a.bmp", "a.tiff"])
def test_a_file_cut_off_anywhere_is_corrupt_and_nothing_worse(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    noise = np.random.default_rng(1).integers(0, 255, (64, 64, 3)).astype(np.uint8)
    Image.fromarray(noise).save(path)
    whole = path.read_bytes()
    for n_bytes in (0, 3, 20, len(whole) // 4, len(whole) // 2):
        path.write_bytes(whole[:n_bytes])
        assert refusal(part_of(path)) == "corrupt", n_bytes


@pytest.mark.parametrize("seed", range(40))
def test_flipped_bytes_end_in_a_picture_or_a_refusal(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    path = tmp_path / ("a.png", "a.jpg", "a.gif", "a.webp")[seed % 4]
    Image.fromarray(rng.integers(0, 255, (48, 48, 3)).astype(np.uint8)).save(path)
    content = bytearray(path.read_bytes())
    for position in rng.integers(0, len(content), 12):
        content[position] ^= 0xFF
    path.write_bytes(bytes(content))
    with contextlib.suppress(BadImageError):
        assert prepare_image(part_of(path), DEFAULT).image.mode == "RGB"


def test_a_missing_file_and_a_folder_are_missing(tmp_path: Path) -> None:
    digest = hashlib.sha256(b"").hexdigest()
    assert refusal(ImagePart(path=str(tmp_path / "no.png"), sha256=digest)) == "missing"
    assert refusal(ImagePart(path=str(tmp_path), sha256=digest)) == "missing"


def test_another_picture_under_the_same_name_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    Image.new("RGB", (40, 40), "red").save(path)
    part = part_of(path)
    Image.new("RGB", (40, 40), "blue").save(path)
    assert refusal(part) == "changed"


def test_text_that_calls_itself_an_image_is_corrupt(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_text("<svg/>")
    assert refusal(part_of(path)) == "corrupt"


@pytest.mark.parametrize("side", [9_000, 9_900, 16_000])
def test_a_decompression_bomb_is_refused_before_it_is_decoded(tmp_path: Path, side: int) -> None:
    path = tmp_path / "a.png"
    Image.new("1", (side, side)).save(path)
    assert path.stat().st_size < 100_000
    assert refusal(part_of(path)) == "too_large"


def test_an_enormous_file_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    with path.open("wb") as handle:
        handle.truncate(images.MAX_FILE_BYTES + 1)
    assert refusal(ImagePart(path=str(path), sha256="0" * 64)) == "too_large"
